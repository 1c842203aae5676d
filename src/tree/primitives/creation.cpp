// Arrays from numbers.
#include "tree/nodes/primitive.hpp"

#include "base/dispatch.hpp"
#include "tree/run/services.hpp"
#include "value/diagonal.hpp"
#include "value/strided.hpp"

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
  if (Number == 0)
    return detail::from_array(array::zeros(to_dtype(argument(args, 1), dtype::float64), to_extents(args[0])));
  return detail::from_array(filled(value(Number), to_extents(args[0]), to_dtype(argument(args, 1), dtype::float64)));
}

template <int Number>
value filled_like(call_context&, std::span<value> args) {
  const auto like = args[0].to_array();
  return detail::from_array(filled(value(Number), like.shape(), to_dtype(argument(args, 1), like.type())));
}

value as_array(call_context&, std::span<value> args) {
  auto result = argument(args, 1).is_nil() ? args[0].to_array() : to_array_of(args[0], to_dtype(args[1], {}));
  return args[0].is_array() ? value(std::move(result)) : detail::from_array(std::move(result));
}

struct integers_row {
  TREADLE_LOOP static void run(std::int64_t* x, std::int64_t count, std::int64_t start, std::int64_t step) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = start + i * step;
  }
};
struct reals_row { // from + i * step; not every width can convert 64-bit integers
  TREADLE_LOOP static void run(double* x, std::int64_t count, double from, double step) {
    constexpr std::int32_t k_block = 1024;
    for (std::int64_t begin = 0; begin < count; begin += k_block) {
      const auto first = static_cast<double>(begin);
      const auto here = static_cast<std::int32_t>(std::min<std::int64_t>(k_block, count - begin));
      for (std::int32_t k = 0; k < here; ++k) x[begin + k] = from + (first + static_cast<double>(k)) * step;
    }
  }
};

value arange(call_context&, std::span<value> args) { // (start, stop, step, dtype), or (stop)
  const bool one = argument(args, 1).is_nil();
  const value start = one ? value(0) : args[0], &stop = one ? args[0] : args[1];
  const value step = argument(args, 2).is_nil() ? value(1) : args[2];
  const auto type = to_dtype(
      argument(args, 3), std::max({dtype_of_value(start), dtype_of_value(stop), dtype_of_value(step), dtype::int64}));
  if (step.to_float64() == 0.0) throw value_error(error_kind::zero_division, "the step must not be 0");
  const auto checked = [type](const array& numbers) -> value { // NumPy's rule
    if (type == dtype::boolean && numbers.size() > 2)
      throw value_error("a range of bool has at most two elements, not " + std::to_string(numbers.size()));
    return numbers.cast(type);
  };
  if (start.kind() == value_kind::int64 && stop.kind() == value_kind::int64 && step.kind() == value_kind::int64) {
    const auto count = static_cast<std::int64_t>(value::range(start.integer(), stop.integer(), step.integer()).size());
    auto a = array::uninitialized(dtype::int64, {count});
    auto* x = a.mutable_data<std::int64_t>();
    detail::run_wide<integers_row>(x, count, start.integer(), step.integer());
    return checked(a);
  }
  const double from = start.to_float64(), by = step.to_float64();
  const double length = std::ceil((stop.to_float64() - from) / by);
  if (!(std::fabs(length) < 1e15)) throw value_error("the range is too long or not finite");
  auto a = array::uninitialized(dtype::float64, {std::max<std::int64_t>(0, static_cast<std::int64_t>(length))});
  auto* x = a.mutable_data<double>();
  detail::run_wide<reals_row>(x, a.size(), from, by);
  return checked(a);
}

value linspace(call_context&, std::span<value> args) { // (start, stop, num = 50, endpoint = true, dtype)
  for (const value& end : args.first(2))
    if (has_axes(end)) throw value_error(error_kind::type, "expected two numbers, found " + repr(end));
  const double start = args[0].to_float64(), stop = args[1].to_float64();
  const auto count = argument(args, 2).is_nil() ? 50 : args[2].to_int64();
  if (count < 0) throw value_error("the number of samples must not be negative");
  auto a = array::uninitialized(dtype::float64, {count});
  auto* x = a.mutable_data<double>();
  const bool endpoint = argument(args, 3).is_nil() || args[3].to_bool();
  const auto intervals = static_cast<double>(endpoint ? count - 1 : count);
  const double step = intervals > 0.0 ? (stop - start) / intervals : stop - start;
  detail::run_wide<reals_row>(x, count, start, step);
  if (endpoint && count > 1) x[count - 1] = stop;
  const auto type = to_dtype(argument(args, 4), dtype::float64);
  if (type == dtype::int64) // NumPy rounds down
    for (std::int64_t i = 0; i < count; ++i) x[i] = std::floor(x[i]);
  return a.cast(type);
}

bool keeps_diagonal(const call_context& context, std::int64_t length) noexcept {
  return length >= detail::k_least_diagonal && context.services && context.services->keeps_diagonals();
}

value eye(call_context& context, std::span<value> args) { // (rows, columns, k, dtype)
  const auto rows = args[0].to_int64();
  const auto columns = argument(args, 1).is_nil() ? rows : args[1].to_int64();
  const auto k = argument(args, 2).is_nil() ? 0 : args[2].to_int64();
  const auto type = to_dtype(argument(args, 3), dtype::float64);
  const extents shape{rows, columns};
  static_cast<void>(shape.product()); // refuses what is impossible
  if (k == 0 && rows == columns && keeps_diagonal(context, rows))
    return detail::diagonal_matrix(filled(value(1), {rows}, type));
  auto a = array::zeros(dtype::float64, shape);
  auto* x = a.mutable_data<double>();
  for (std::int64_t i = std::max<std::int64_t>(0, -k); i < rows && i + k < columns; ++i) x[i * columns + i + k] = 1.0;
  return a.cast(type);
}

value identity(call_context& context, std::span<value> args) { // (rows, dtype)
  value all[] = {args[0], value(), value(), argument(args, 1)};
  return eye(context, all);
}

// indices(shape, dtype): along the first axis, the index of every element in each axis, as numpy.indices.
value indices(call_context&, std::span<value> args) {
  if (!has_axes(args[0])) throw value_error(error_kind::type, "expected lengths of axes, found " + repr(args[0]));
  const auto shape = to_extents(args[0]);
  extents all = shape;
  all.insert(0, static_cast<std::int64_t>(shape.rank()));
  auto result = array::uninitialized(dtype::int64, all);
  auto* out = result.mutable_data<std::int64_t>();
  const auto steps = detail::row_major_strides(shape);
  const auto* const end = out + result.size();
  for (std::size_t axis = 0; out != end; ++axis)
    for (const auto* const last = out + shape.product(); out != last;)
      if (steps[axis] == 1) {
        detail::run_wide<integers_row>(out, shape[axis], std::int64_t(0), std::int64_t(1));
        out += shape[axis];
      } else {
        for (std::int64_t i = 0; i < shape[axis]; ++i, out += steps[axis]) std::fill_n(out, steps[axis], i);
      }
  return result.cast(to_dtype(argument(args, 1), dtype::int64));
}

// A vector becomes the diagonal of a matrix, a matrix gives its diagonal.
value diag(call_context& context, std::span<value> args) {
  const auto a = args[0].to_array();
  const auto k = to_diagonal(argument(args, 1), a.shape());
  if (a.rank() == 1) {
    if (k == 0 && keeps_diagonal(context, a.size())) return detail::diagonal_matrix(a.copy());
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
      {"linspace", "start, stop, num=, endpoint=, dtype=", linspace},
      {"eye", "rows, columns=, k=, dtype=", eye},
      {"identity", "rows, dtype=", identity},
      {"indices", "shape, dtype=", indices},
      {"diag", "a, k=", diag},
  };
  return k_table;
}

} // namespace treadle::tree
