// Arrays from numbers.
#include "tree/primitive.hpp"

#include "physl/value/strided.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::tree {
namespace {

array filled(const value& x, const extents& shape, dtype type) {
  if (!x.is_scalar() && !(x.is_array() && x.as_array().size() == 1)) {
    return array::broadcast(x.to_array().cast(type), shape).copy();
  }
  auto a = array::uninitialized(type, shape);
  detail::visit_dtype(type, [&](auto* tag) {
    using T = detail::element_of<decltype(tag)>;
    const T element = *x.to_array().cast(type).template data<T>();
    std::fill_n(a.template mutable_data<T>(), a.size(), element);
  });
  return a;
}

// constant(x, shape, dtype): the scalar itself without a shape.
value constant(call_context&, std::span<value> args) {
  if (argument(args, 1).is_nil()) return args[0];
  return detail::from_array(filled(args[0], to_extents(args[1]), to_dtype(argument(args, 2), dtype_of_value(args[0]))));
}

value full(call_context&, std::span<value> args) {
  return detail::from_array(filled(args[1], to_extents(args[0]), to_dtype(argument(args, 2), dtype_of_value(args[1]))));
}

value constant_like(call_context&, std::span<value> args) { // (x, like, dtype)
  const auto like = args[1].to_array();
  return detail::from_array(filled(args[0], like.shape(), to_dtype(argument(args, 2), like.type())));
}

value full_like(call_context&, std::span<value> args) { // (like, x, dtype)
  const auto like = args[0].to_array();
  return detail::from_array(filled(args[1], like.shape(), to_dtype(argument(args, 2), like.type())));
}

template <int Number>
value filled_with(call_context&, std::span<value> args) {
  return detail::from_array(filled(value(Number), to_extents(args[0]), to_dtype(argument(args, 1), dtype::float64)));
}

template <int Number>
value filled_like(call_context&, std::span<value> args) {
  const auto like = args[0].to_array();
  return detail::from_array(filled(value(Number), like.shape(), to_dtype(argument(args, 1), like.type())));
}

value as_array(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  return detail::from_array(a.cast(to_dtype(argument(args, 1), a.type())));
}

value arange(call_context&, std::span<value> args) { // (start, stop, step, dtype), or (stop)
  const bool one = argument(args, 1).is_nil();
  const value start = one ? value(0) : args[0], &stop = one ? args[0] : args[1];
  const value step = argument(args, 2).is_nil() ? value(1) : args[2];
  const auto type = to_dtype(
      argument(args, 3), std::max({dtype_of_value(start), dtype_of_value(stop), dtype_of_value(step), dtype::int64}));
  if (step.to_float64() == 0.0) throw value_error("the step must not be 0");
  if (start.kind() == value_kind::int64 && stop.kind() == value_kind::int64 && step.kind() == value_kind::int64) {
    const auto count = static_cast<std::int64_t>(value::range(start.integer(), stop.integer(), step.integer()).size());
    auto a = array::uninitialized(dtype::int64, {count});
    auto* x = a.mutable_data<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) x[i] = start.integer() + i * step.integer();
    return a.cast(type);
  }
  const double from = start.to_float64(), by = step.to_float64();
  const double length = std::ceil((stop.to_float64() - from) / by);
  if (!(length < 1e15)) throw value_error("the range is too long or not finite");
  auto a = array::uninitialized(dtype::float64, {std::max<std::int64_t>(0, static_cast<std::int64_t>(length))});
  auto* x = a.mutable_data<double>();
  for (std::int64_t i = 0; i < a.size(); ++i) x[i] = from + static_cast<double>(i) * by;
  return a.cast(type);
}

value linspace(call_context&, std::span<value> args) { // (start, stop, num = 50), the end included
  const double start = args[0].to_float64(), stop = args[1].to_float64();
  const auto count = argument(args, 2).is_nil() ? 50 : args[2].to_int64();
  if (count < 0) throw value_error("the number of samples must not be negative");
  auto a = array::uninitialized(dtype::float64, {count});
  auto* x = a.mutable_data<double>();
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0.0;
  for (std::int64_t i = 0; i < count; ++i) x[i] = start + static_cast<double>(i) * step;
  if (count > 1) x[count - 1] = stop;
  return a;
}

value eye(call_context&, std::span<value> args) { // (rows, columns, k)
  const auto rows = args[0].to_int64();
  const auto columns = argument(args, 1).is_nil() ? rows : args[1].to_int64();
  const auto k = argument(args, 2).is_nil() ? 0 : args[2].to_int64();
  auto a = array::zeros(dtype::float64, {rows, columns});
  auto* x = a.mutable_data<double>();
  for (std::int64_t i = std::max<std::int64_t>(0, -k); i < rows && i + k < columns; ++i) x[i * columns + i + k] = 1.0;
  return a;
}

// A vector becomes the diagonal of a matrix, a matrix gives its diagonal.
value diag(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  const auto k = argument(args, 1).is_nil() ? 0 : args[1].to_int64();
  if (a.rank() == 1) {
    const auto n = a.shape()[0] + std::abs(k);
    auto result = array::zeros(a.type(), {n, n});
    const auto first = k >= 0 ? k : -k * n;
    auto* data = static_cast<std::byte*>(result.mutable_raw_data());
    detail::copy_elements(a, a.type(), {n + 1}, data + first * static_cast<std::int64_t>(item_bytes(a.type())));
    return result;
  }
  if (a.rank() != 2)
    throw value_error("expected a vector or a matrix, found an array of shape " + to_string(a.shape()));
  const auto rows = a.shape()[0], columns = a.shape()[1];
  const auto length = std::max<std::int64_t>(0, k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns));
  const auto offset = length == 0 ? 0 : k >= 0 ? k * a.strides()[1] : -k * a.strides()[0];
  return a.view(offset, {length}, {a.strides()[0] + a.strides()[1]});
}

} // namespace

std::span<const primitive> creation_primitives() {
  static constexpr primitive k_table[] = {
      {"constant", "x, shape=, dtype=", constant},
      {"full", "shape, x, dtype=", full},
      {"constant_like", "x, like, dtype=", constant_like},
      {"full_like", "like, x, dtype=", full_like},
      {"zeros", "shape, dtype=", filled_with<0>},
      {"ones", "shape, dtype=", filled_with<1>},
      {"empty", "shape, dtype=", filled_with<0>},
      {"zeros_like", "like, dtype=", filled_like<0>},
      {"ones_like", "like, dtype=", filled_like<1>},
      {"empty_like", "like, dtype=", filled_like<0>},
      {"array", "x, dtype=", as_array},
      {"arange", "start, stop=, step=, dtype=", arange},
      {"linspace", "start, stop, num=", linspace},
      {"eye", "rows, columns=, k=", eye},
      {"identity", "rows", eye},
      {"diag", "a, k=", diag},
  };
  return k_table;
}

} // namespace treadle::tree
