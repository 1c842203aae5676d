#include "tree/kernels/diagonal_operands.hpp"

namespace treadle::tree {

value diagonal_of_vectors(const call_context& context, std::span<const value> args, kernel compute) {
  std::vector<value> vectors(args.begin(), args.end());
  for (auto& v : vectors)
    if (v.is_array()) v = detail::diagonal_of(v.as_array());
  call_context inner{context.self, context.services, 0};
  return detail::diagonal_matrix(compute(inner, vectors).as_array());
}

} // namespace treadle::tree
