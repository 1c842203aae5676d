// Norms, cumulative sums and clipping.
#include "tree/elementwise.hpp"
#include "tree/reduce.hpp"

#include <cmath>
#include <limits>

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
value cumulate(call_context&, std::span<value> args) {
  auto a = args[0].to_array();
  a = a.cast(std::max(a.type(), dtype::int64));
  if (argument(args, 1).is_nil()) a = a.reshape({-1});
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

struct total {
  template <class T>
  static T identity() noexcept {
    return T(0);
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    return a + b;
  }
  template <class T>
  static T row(const T* x, i64 n, i64 step) noexcept {
    T sum = 0;
    for (i64 i = 0; i < n; ++i) sum += x[i * step];
    return sum;
  }
};
struct largest_magnitude {
  template <class T>
  static T identity() noexcept {
    return T(0);
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    return std::fabs(b) > a || b != b ? std::fabs(b) : a;
  }
  template <class T>
  static T row(const T* x, i64 n, i64 step) noexcept {
    T total = 0;
    for (i64 i = 0; i < n; ++i) total = combine(total, x[i * step]);
    return total;
  }
};

// (a, ord, axis, keepdims): the 2-norm of vectors, the Frobenius norm over all; ord 1, 2 and inf for vectors.
value norm(call_context&, std::span<value> args) {
  auto a = args[0].to_array().cast(dtype::float64);
  const double order = argument(args, 1).is_nil() || args[1].is_string() ? 2.0 : args[1].to_float64();
  if (argument(args, 1).is_string() && args[1].to_string_view() != "fro")
    throw value_error("unknown norm " + repr(args[1]));
  const bool matrix_norm = a.rank() > 1 && argument(args, 2).is_nil();
  if (matrix_norm && !argument(args, 1).is_nil() && !args[1].is_string())
    throw value_error("only the Frobenius norm of a matrix is supported: give an axis for norms of its vectors");
  const auto plan = reduction_plan(a.shape(), argument(args, 2), argument(args, 3));
  if (std::isinf(order) && order > 0) return detail::from_array(reduce<largest_magnitude, double>(a, plan));
  if (order != 1.0 && order != 2.0) throw value_error("unknown norm of order " + repr(args[1]) + ": use 1, 2 or inf");
  a = a.copy();
  for (auto& x : std::span(a.mutable_data<double>(), static_cast<std::size_t>(a.size())))
    x = order == 1.0 ? std::fabs(x) : x * x;
  auto result = reduce<total, double>(a, plan);
  if (order == 2.0)
    for (auto& x : std::span(result.mutable_data<double>(), static_cast<std::size_t>(result.size()))) x = std::sqrt(x);
  return detail::from_array(std::move(result));
}

// log(sum(exp(x))), shifted by the largest element so that it cannot overflow.
value log_sum_exp(call_context& context, std::span<value> args) {
  const auto call = [&](std::string_view name, std::vector<value> list) {
    return call_primitive(name, context, std::move(list));
  };
  const auto largest = call("amax", {args[0], argument(args, 1), value(true)});
  const auto total = call("sum", {call("exp", {call("__sub", {args[0], largest})}), argument(args, 1), value(true)});
  auto result = call("__add", {call("log", {total}), largest});
  if (!argument(args, 2).is_nil() && args[2].to_bool()) return result;
  return call("squeeze", {result, argument(args, 1)});
}

value clip(call_context& context, std::span<value> args) { // nil bounds are open
  value bounded = args[0];
  if (!argument(args, 1).is_nil()) bounded = call_primitive("maximum", context, {bounded, args[1]});
  if (!argument(args, 2).is_nil()) bounded = call_primitive("minimum", context, {bounded, args[2]});
  return bounded;
}

value normalize(call_context& context, std::span<value> args) { // x / |x|
  return call_primitive("__truediv", context, {args[0], norm(context, args.first(1))});
}

} // namespace

std::span<const primitive> statistics_primitives() {
  static constexpr primitive k_table[] = {
      {"cumsum", "a, axis=", cumulate<add>},
      {"cumprod", "a, axis=", cumulate<multiply>},
      {"norm", "a, ord=, axis=, keepdims=", norm},
      {"normalize", "a", normalize},
      {"logsumexp", "a, axis=, keepdims=", log_sum_exp},
      {"clip", "a, min=, max=", clip},
  };
  return k_table;
}

} // namespace treadle::tree
