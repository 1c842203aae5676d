// Reductions over all elements or over some axes. The order of additions depends on shape and strides only, never on
// who runs the primitive: pairwise along contiguous rows, row by row otherwise.
#include "base/dispatch.hpp"
#include "tree/kernels/extremes.hpp"
#include "tree/kernels/picking.hpp"
#include "tree/kernels/reduce.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace treadle::tree {
namespace {

template <class T>
T pairwise_sum(const T* x, std::int64_t count, std::int64_t stride) noexcept {
  if (count <= 64 || !std::is_same_v<T, double>) {
    T lanes[4] = {};
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4)
      for (std::int64_t k = 0; k < 4; ++k) lanes[k] += x[(i + k) * stride];
    for (; i < count; ++i) lanes[0] += x[i * stride];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  }
  const auto half = count / 2 / 4 * 4; // error grows with log n instead of n (Higham, 1993)
  return pairwise_sum(x, half, stride) + pairwise_sum(x + half * stride, count - half, stride);
}

using i64 = std::int64_t;

// A contiguous row in lanes that the compiler keeps in vectors; for operations whose order does not matter.
template <class Op, class T>
struct row_in_lanes {
  TREADLE_LOOP static void run(const T* x, i64 count, T* result) {
    constexpr i64 k_lanes = 32;
    T lanes[k_lanes];
    for (auto& lane : lanes) lane = Op::template identity<T>();
    i64 i = 0;
    for (; i + k_lanes <= count; i += k_lanes)
      for (i64 k = 0; k < k_lanes; ++k) lanes[k] = Op::combine(lanes[k], x[i + k]);
    for (; i < count; ++i) lanes[0] = Op::combine(lanes[0], x[i]);
    for (i64 half = k_lanes / 2; half > 0; half /= 2)
      for (i64 k = 0; k < half; ++k) lanes[k] = Op::combine(lanes[k], lanes[k + half]);
    *result = lanes[0];
  }
};

template <class Op, class T>
T row_of(const T* x, i64 count, i64 stride) {
  T total = Op::template identity<T>();
  if (stride == 1)
    detail::run_wide<row_in_lanes<Op, T>>(x, count, &total);
  else
    for (i64 i = 0; i < count; ++i) total = Op::combine(total, x[i * stride]);
  return total;
}

template <class Op, bool Largest, class T>
T extreme_of(const T* x, i64 count, i64 stride) {
  if (stride != 1 || count == 0) return row_of<Op>(x, count, stride);
  T best{};
  detail::run_wide<extreme_row<Largest, T>>(x, count, &best);
  return best;
}

struct sum {
  template <class T>
  static T identity() noexcept {
    return T(0);
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a + b;
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  template <class T>
  static T row(const T* x, i64 count, i64 stride) noexcept {
    if constexpr (std::is_same_v<T, double>) {
      return pairwise_sum(x, count, stride);
    } else {
      return row_of<sum>(x, count, stride);
    }
  }
  static constexpr dtype k_least = dtype::int64;
  static constexpr bool k_needs_elements = false;
};

template <class Derived>
struct sequential {
  template <class T>
  static T row(const T* x, i64 count, i64 stride) noexcept {
    T total = Derived::template identity<T>();
    for (i64 i = 0; i < count; ++i) total = Derived::combine(total, x[i * stride]);
    return total;
  }
};

struct product : sequential<product> {
  template <class T>
  static T identity() noexcept {
    return T(1);
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a * b;
    else
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
  static constexpr dtype k_least = dtype::int64;
  static constexpr bool k_needs_elements = false;
};

struct largest {
  template <class T>
  static T row(const T* x, i64 count, i64 stride) {
    return extreme_of<largest, true>(x, count, stride);
  }
  template <class T>
  static T identity() noexcept {
    if constexpr (std::is_same_v<T, double>)
      return -std::numeric_limits<double>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    return a > b || a != a ? a : b;
  } // NaN wins
  static constexpr dtype k_least = dtype::boolean;
  static constexpr bool k_needs_elements = true;
};

struct smallest {
  template <class T>
  static T row(const T* x, i64 count, i64 stride) {
    return extreme_of<smallest, false>(x, count, stride);
  }
  template <class T>
  static T identity() noexcept {
    if constexpr (std::is_same_v<T, double>)
      return std::numeric_limits<double>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    return a < b || a != a ? a : b;
  }
  static constexpr dtype k_least = dtype::boolean;
  static constexpr bool k_needs_elements = true;
};

// How many there are, over axes of an array of bool.
array count_of(const array& a, const reduction& plan) {
  if (plan.result_size() != 1 || !a.is_contiguous()) return reduce<sum, i64>(a.cast(dtype::int64), plan);
  auto result = array::uninitialized(dtype::int64, plan.shape);
  *static_cast<i64*>(result.object()->data) = count_trues(a);
  return result;
}

template <class Op>
value reduce_value(call_context&, std::span<value> args) {
  // (a, axis, keepdims, initial, dtype)
  auto a = args[0].to_array();
  const auto type = to_dtype(argument(args, 4), std::max(a.type(), Op::k_least));
  const auto& initial = argument(args, 3);
  if (type == dtype::int64 && initial.kind() == value_kind::float64 && !std::isfinite(initial.real()))
    throw value_error("cannot convert " + repr(initial) + " to int64");
  const auto plan = reduction_plan(a.shape(), argument(args, 1), argument(args, 2));
  if (std::is_same_v<Op, sum> && a.type() == dtype::boolean && type == dtype::int64 && initial.is_nil())
    return detail::from_array(count_of(a, plan));
  a = a.cast(type);
  if (Op::k_needs_elements && initial.is_nil() && plan.reduced == 0)
    throw value_error("the axis to reduce is empty: there is no such element");
  return detail::visit_dtype(type, [&](auto* tag) {
    using T = detail::element_of<decltype(tag)>;
    auto result = reduce<Op, T>(a, plan);
    if (!initial.is_nil()) {
      const T first = *initial.to_array().cast(type).template data<T>();
      auto* out = static_cast<T*>(result.object()->data);
      for (i64 i = 0, n = result.size(); i < n; ++i) out[i] = Op::combine(first, out[i]);
    }
    return detail::from_array(std::move(result));
  });
}

struct every : sequential<every> {
  template <class T>
  static bool row(const T* x, i64 count, i64 stride) noexcept {
    if (stride == 1) return !std::memchr(x, 0, static_cast<std::size_t>(count));
    return sequential::template row<T>(x, count, stride);
  }
  template <class T>
  static T identity() noexcept {
    return true;
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    return a && b;
  }
};
struct some : sequential<some> {
  template <class T>
  static bool row(const T* x, i64 count, i64 stride) noexcept {
    if (stride == 1) return std::memchr(x, 1, static_cast<std::size_t>(count));
    return sequential::template row<T>(x, count, stride);
  }
  template <class T>
  static T identity() noexcept {
    return false;
  }
  template <class T>
  static T combine(T a, T b) noexcept {
    return a || b;
  }
};

template <class Op>
value reduce_truth(call_context&, std::span<value> args) {
  if (args[0].is_list() && args[0].size() == 0) return Op::template identity<bool>();
  const auto a = args[0].to_array().cast(dtype::boolean);
  return detail::from_array(reduce<Op, bool>(a, reduction_plan(a.shape(), argument(args, 1), argument(args, 2))));
}

value count_nonzero(call_context&, std::span<value> args) {
  const auto a = args[0].to_array().cast(dtype::boolean);
  return detail::from_array(count_of(a, reduction_plan(a.shape(), argument(args, 1), argument(args, 2))));
}

// Sums
// -----------------------------------------------------------------------------------------------------------------

array sum_of(const array& a, const reduction& plan) { return reduce<sum, double>(a, plan); }

array divided(array a, double divisor) {
  auto* x = a.mutable_data<double>();
  for (i64 i = 0, n = a.size(); i < n; ++i) x[i] /= divisor;
  return a;
}

// The elements as real numbers, of which a mean is made. NumPy's means have no axis 0 of a scalar, unlike its sums.
array real_elements(std::span<value> args, const value& type) {
  if (to_dtype(type, dtype::float64) != dtype::float64)
    throw value_error("only dtype float64 is supported here, not " + repr(type));
  const auto a = args[0].to_array().cast(dtype::float64);
  if (const auto& axis = argument(args, 1); a.rank() == 0 && !axis.is_nil() && !axis.is_list()) to_axis(axis, 0);
  return a;
}

value mean(call_context&, std::span<value> args) { // (a, axis, keepdims, dtype)
  const auto a = real_elements(args, argument(args, 3));
  const auto plan = reduction_plan(a.shape(), argument(args, 1), argument(args, 2));
  return detail::from_array(divided(sum_of(a, plan), static_cast<double>(plan.reduced)));
}

struct squares_row {
  TREADLE_LOOP static void run(const double* x, i64 step, const double* mean, i64 mean_step, double* out, i64 out_step,
                               i64 count) {
    if (step == 1 && mean_step == 0 && out_step == 1) {
      const double m = *mean;
      for (i64 i = 0; i < count; ++i) out[i] = (x[i] - m) * (x[i] - m);
    } else if (step == 1 && mean_step == 1 && out_step == 1) {
      for (i64 i = 0; i < count; ++i) out[i] = (x[i] - mean[i]) * (x[i] - mean[i]);
    } else {
      for (i64 i = 0; i < count; ++i) {
        const double d = x[i * step] - mean[i * mean_step];
        out[i * out_step] = d * d;
      }
    }
  }
};

// Mean of the squared deviations from the mean, in two passes as NumPy.
array variance(std::span<value> args) { // (a, axis, keepdims, ddof, dtype)
  const auto a = real_elements(args, argument(args, 4));
  const auto plan = reduction_plan(a.shape(), argument(args, 1), value(true));
  const auto means = array::broadcast(divided(sum_of(a, plan), static_cast<double>(plan.reduced)), a.shape());
  auto squares = array::uninitialized(dtype::float64, a.shape());
  auto* out = squares.mutable_data<double>();
  detail::for_each_row<3>(
      a.shape(), {&a.strides(), &means.strides(), &squares.strides()}, [&](const detail::row<3>& r) {
        detail::run_wide<squares_row>(a.data<double>() + r.offset[0], r.stride[0], means.data<double>() + r.offset[1],
                                      r.stride[1], out + r.offset[2], r.stride[2], r.count);
      });
  const double ddof = argument(args, 3).is_nil() ? 0.0 : args[3].to_float64();
  const auto final_plan = reduction_plan(a.shape(), argument(args, 1), argument(args, 2));
  return divided(sum_of(squares, final_plan), std::max(static_cast<double>(final_plan.reduced) - ddof, 0.0));
}

value var(call_context&, std::span<value> args) { return detail::from_array(variance(args)); }

value standard_deviation(call_context&, std::span<value> args) {
  auto v = variance(args);
  auto* x = v.mutable_data<double>();
  for (i64 i = 0, n = v.size(); i < n; ++i) x[i] = std::sqrt(x[i]);
  return detail::from_array(std::move(v));
}

} // namespace

std::span<const primitive> reduction_primitives() {
  static constexpr primitive k_table[] = {
      {"sum", "a, axis=, keepdims=, initial=, dtype=", reduce_value<sum>},
      {"prod", "a, axis=, keepdims=, initial=, dtype=", reduce_value<product>},
      {"amax", "a, axis=, keepdims=, initial=, dtype=", reduce_value<largest>},
      {"amin", "a, axis=, keepdims=, initial=, dtype=", reduce_value<smallest>},
      {"all", "a, axis=, keepdims=", reduce_truth<every>},
      {"any", "a, axis=, keepdims=", reduce_truth<some>},
      {"count_nonzero", "a, axis=, keepdims=", count_nonzero},
      {"mean", "a, axis=, keepdims=, dtype=", mean},
      {"var", "a, axis=, keepdims=, ddof=, dtype=", var},
      {"std", "a, axis=, keepdims=, ddof=, dtype=", standard_deviation},
  };
  return k_table;
}

} // namespace treadle::tree
