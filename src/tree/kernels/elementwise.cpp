#include "tree/kernels/elementwise.hpp"

namespace treadle::tree {

array result_array(const call_context& context, std::span<value> args, dtype type, const extents& shape) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!context.owns(i) || !args[i].is_array()) continue;
    const auto& a = args[i].as_array();
    if (a.type() == type && a.shape() == shape && a.is_unique() && a.is_contiguous() && !detail::is_diagonal(a))
      return a;
  }
  return array::uninitialized(type, shape);
}

void refuse_truths(std::string_view name) {
  const auto shown = name.starts_with("__") ? name.substr(2) : name;
  throw value_error(error_kind::type,
                    std::string(shown) + " of arrays of bool: convert them to numbers, or use logical functions");
}

} // namespace treadle::tree
