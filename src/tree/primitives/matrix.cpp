#include "tree/kernels/matrix_product.hpp"

#include "tree/kernels/elementwise.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

// A product with a number multiplies; NumPy adds what it multiplies to zeros where it calls BLAS, which -0.0 shows.
value dot_product(call_context& context, std::span<value> args) {
  if (has_axes(args[0]) && has_axes(args[1])) return dot(args[0], args[1], context.services);
  auto a = as_number(args[0]), b = as_number(args[1]);
  for (auto* x : {&a, &b}) {
    if (!x->is_number()) *x = x->to_array();
    if (x->is_scalar()) x->set_array_scalar(true);
  }
  auto product = call_primitive("__mul", context, {a, b});
  const auto by_blas = [](const array& x) { return x.rank() <= 2 && x.size() > 1 && x.type() == dtype::float64; };
  return has_axes(product) && by_blas(product.as_array()) ? call_primitive("__add", context, {std::move(product), 0.0})
                                                          : product;
}

value matrix_product(call_context& context, std::span<value> args) {
  return matmul(args[0], args[1], context.services);
}

value outer(call_context& context, std::span<value> args) {
  const auto a = args[0].to_array(), b = args[1].to_array();
  return call_primitive("__mul", context, {a.reshape({a.size(), 1}), b.reshape({1, b.size()})});
}

// trace(a, offset): the sum of a diagonal of the first two axes.
value trace(call_context& context, std::span<value> args) {
  const auto a = args[0].to_array();
  if (a.rank() < 2) throw value_error("expected a matrix, found an array of shape " + to_string(a.shape()));
  const auto k = argument(args, 1).is_nil() ? 0 : args[1].to_int64();
  const auto rows = a.shape()[0], columns = a.shape()[1];
  const auto length = std::max<std::int64_t>(0, k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns));
  const auto offset = length == 0 ? 0 : k >= 0 ? k * a.strides()[1] : -k * a.strides()[0];
  extents shape = a.shape(), strides = a.strides();
  shape.erase(0);
  strides.erase(0);
  shape[0] = length;
  strides[0] = a.strides()[0] + a.strides()[1];
  return call_primitive("sum", context, {a.view(offset, shape, strides), value(0)});
}

std::vector<std::size_t> contracted(const value& axes, const array& a) {
  std::vector<std::size_t> result;
  if (!axes.is_list() && !axes.is_array()) return {to_axis(axes, a.rank())};
  for (std::size_t i = 0; i < axes.size(); ++i) result.push_back(to_axis(axes.item(i), a.rank()));
  return result;
}

// tensordot(a, b, axes = 2): sums over pairs of axes: the last n of a and the first n of b, or those of two lists.
value tensor_product(call_context& context, std::span<value> args) {
  const auto a = args[0].to_array(), b = args[1].to_array();
  const auto& axes = argument(args, 2);
  std::vector<std::size_t> left, right;
  if (axes.is_list() || axes.is_array()) {
    if (axes.size() != 2) throw value_error("axes are a number, or two lists of axes, not " + repr(axes));
    left = contracted(axes.item(0), a);
    right = contracted(axes.item(1), b);
  } else {
    const auto count = axes.is_nil() ? 2 : axes.to_int64();
    for (std::int64_t i = 0; i < count; ++i) {
      left.push_back(to_axis(value(i - count), a.rank()));
      right.push_back(to_axis(value(i), b.rank()));
    }
  }
  bool fits = left.size() == right.size();
  std::int64_t length = 1;
  for (std::size_t i = 0; fits && i < left.size(); ++i) {
    fits = a.shape()[left[i]] == b.shape()[right[i]];
    length *= a.shape()[left[i]];
  }
  if (!fits)
    throw value_error("axes of shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                      " do not fit for a product");
  const auto others = [](const array& x, const std::vector<std::size_t>& without) {
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < x.rank(); ++i)
      if (std::find(without.begin(), without.end(), i) == without.end()) rest.push_back(static_cast<std::int64_t>(i));
    return rest;
  };
  auto order_a = others(a, left), order_b = others(b, right);
  extents shape;
  std::int64_t rows = 1, columns = 1;
  for (auto i : order_a) {
    shape.push_back(a.shape()[static_cast<std::size_t>(i)]);
    rows *= a.shape()[static_cast<std::size_t>(i)];
  }
  for (auto i : order_b) {
    shape.push_back(b.shape()[static_cast<std::size_t>(i)]);
    columns *= b.shape()[static_cast<std::size_t>(i)];
  }
  order_a.insert(order_a.end(), left.begin(), left.end());
  order_b.insert(order_b.begin(), right.begin(), right.end());
  const value x = a.transpose(order_a).reshape({rows, length}), y = b.transpose(order_b).reshape({length, columns});
  return detail::from_array(dot(x, y, context.services).to_array().reshape(shape));
}

} // namespace

std::span<const primitive> matrix_primitives() {
  static constexpr primitive k_table[] = {
      {"dot", "a, b", dot_product},   {"__matmul", "a, b", matrix_product},
      {"outer", "a, b", outer},       {"tensordot", "a, b, axes=", tensor_product},
      {"trace", "a, offset=", trace},
  };
  return k_table;
}

} // namespace treadle::tree
