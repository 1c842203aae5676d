#include "tree/matrix_product.hpp"

#include "tree/elementwise.hpp"

namespace treadle::tree {
namespace {

value dot_product(call_context& context, std::span<value> args) {
  if (args[0].is_scalar() || args[1].is_scalar()) return call_primitive("__mul", context, {args[0], args[1]});
  return dot(args[0], args[1], context.services);
}

value matrix_product(call_context& context, std::span<value> args) {
  return matmul(args[0], args[1], context.services);
}

value outer(call_context& context, std::span<value> args) {
  const auto a = args[0].to_array(), b = args[1].to_array();
  return call_primitive("__mul", context, {a.reshape({a.size(), 1}), b.reshape({1, b.size()})});
}

value trace(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  if (a.rank() != 2) throw value_error("expected a matrix, found an array of shape " + to_string(a.shape()));
  return detail::visit_dtype(std::max(a.type(), dtype::int64), [&](auto* tag) -> value {
    using T = detail::element_of<decltype(tag)>;
    const auto x = a.cast(dtype_of<T>);
    T total = T(0);
    for (std::int64_t i = 0; i < std::min(a.shape()[0], a.shape()[1]); ++i)
      total = static_cast<T>(total + x.template data<T>()[i * (x.strides()[0] + x.strides()[1])]);
    return total;
  });
}

} // namespace

std::span<const primitive> matrix_primitives() {
  static constexpr primitive k_table[] = {
      {"dot", "a, b", dot_product},
      {"__matmul", "a, b", matrix_product},
      {"outer", "a, b", outer},
      {"trace", "a", trace},
  };
  return k_table;
}

} // namespace treadle::tree
