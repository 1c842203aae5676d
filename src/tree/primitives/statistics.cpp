// Cumulative sums, soft maxima and clipping.
#include "tree/kernels/elementwise.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

// Calls f(pointer, length, stride, destination, destination stride) for every line along an axis.
template <class T, class F>
void for_each_line(const array& a, std::size_t axis, const extents& out_strides, F&& f) {
  extents shape = a.shape(), strides = a.strides(), to = out_strides;
  shape.erase(axis);
  strides.erase(axis);
  to.erase(axis);
  detail::for_each_row<2>(shape, {&strides, &to}, [&](const detail::row<2>& r) {
    for (i64 i = 0; i < r.count; ++i)
      f(a.data<T>() + r.offset[0] + i * r.stride[0], a.shape()[axis], a.strides()[axis], r.offset[1] + i * r.stride[1],
        out_strides[axis]);
  });
}

struct add {
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a + b;
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
struct multiply {
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a * b;
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};

template <class Op>
value cumulate(call_context&, std::span<value> args) { // (a, axis, dtype)
  auto a = args[0].to_array();
  a = a.cast(to_dtype(argument(args, 2), std::max(a.type(), dtype::int64)));
  if (argument(args, 1).is_nil() || a.rank() == 0) a = a.reshape({-1});
  const auto axis = argument(args, 1).is_nil() ? 0 : to_axis(args[1], a.rank());
  auto result = array::uninitialized(a.type(), a.shape());
  detail::visit_dtype(a.type(), [&](auto* tag) {
    using T = detail::element_of<decltype(tag)>;
    auto* out = result.template mutable_data<T>();
    for_each_line<T>(a, axis, result.strides(), [&](const T* x, i64 n, i64 step, i64 to, i64 to_step) {
      for (i64 i = 0; i < n; ++i)
        out[to + i * to_step] = i == 0 ? x[0] : Op::template apply<T>(out[to + (i - 1) * to_step], x[i * step]);
    });
  });
  return result;
}

// log(sum(exp(x))) as the largest element and what the others add to it, which neither overflows nor loses digits.
value log_sum_exp(call_context& context, std::span<value> args) { // (a, axis, keepdims)
  const auto call = [&](std::string_view name, std::vector<value> list) {
    return call_primitive(name, context, std::move(list));
  };
  const value x = detail::from_array(args[0].to_array().cast(dtype::float64));
  const auto along = [&](std::string_view reduction, const value& v) {
    return call(reduction, {v, argument(args, 1), value(true)});
  };
  const auto largest = along("amax", x), is_largest = call("__eq", {x, largest});
  const auto others = call("where", {is_largest, value(0.0), call("exp", {call("__sub", {x, largest})})});
  const auto count = along("sum", is_largest);
  const auto added = call("log1p", {call("__truediv", {along("sum", others), count})});
  auto result = call("__add", {call("__add", {added, call("log", {count})}), largest});
  if (!argument(args, 2).is_nil() && args[2].to_bool()) return result;
  return call("squeeze", {result, argument(args, 1)});
}

template <class T>
struct clip_row {
  TREADLE_LOOP static void run(const T* x, std::int64_t count, T low, T high, T* out) {
    for (std::int64_t i = 0; i < count; ++i) {
      const T raised = x[i] < low ? low : x[i]; // NaN stays NaN
      out[i] = raised > high ? high : raised;
    }
  }
};

template <class T>
value clip_as(call_context& context, std::span<value> args) {
  const operand a(args[0], dtype_of<T>), low(args[1], dtype_of<T>), high(args[2], dtype_of<T>);
  auto result = result_array(context, args.first(1), dtype_of<T>, a.shape());
  detail::run_wide<clip_row<T>>(a.template data<T>(), result.size(), *low.template data<T>(), *high.template data<T>(),
                                static_cast<T*>(result.object()->data));
  return result;
}

// clip(a, min, max); nil bounds are open. In one pass where the bounds are numbers that compare.
value clip(call_context& context, std::span<value> args) {
  const auto &low = argument(args, 1), &high = argument(args, 2);
  const bool simple = has_axes(args[0]) && args[0].is_array() && args[0].as_array().is_contiguous() &&
                      low.is_scalar() && high.is_scalar() && !std::isnan(low.to_float64()) &&
                      !std::isnan(high.to_float64());
  if (simple) {
    const auto type = std::max({dtype_of_value(args[0]), dtype_of_value(low), dtype_of_value(high)});
    if (type == dtype::float64) return clip_as<double>(context, args);
    if (type == dtype::int64) return clip_as<std::int64_t>(context, args);
  }
  value bounded = args[0];
  if (!low.is_nil()) bounded = call_primitive("maximum", context, {bounded, low});
  if (!high.is_nil()) bounded = call_primitive("minimum", context, {bounded, high});
  return bounded;
}

value normalize(call_context& context, std::span<value> args) { // x / |x|
  return call_primitive("__truediv", context, {args[0], call_primitive("norm", context, {args[0]})});
}

} // namespace

std::span<const primitive> statistics_primitives() {
  static constexpr primitive k_table[] = {
      {"cumsum", "a, axis=, dtype=", cumulate<add>},
      {"cumprod", "a, axis=, dtype=", cumulate<multiply>},
      {"normalize", "a", normalize},
      {"logsumexp", "a, axis=, keepdims=", log_sum_exp},
      {"clip", "a, min=, max=", clip},
  };
  return k_table;
}

} // namespace treadle::tree
