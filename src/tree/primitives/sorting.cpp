// Order: sort, arguments of extremes, unique elements. NaN sorts last, as in NumPy.
#include "tree/primitive.hpp"

#include "physl/value/strided.hpp"

#include <algorithm>
#include <numeric>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

template <class T>
bool before(T a, T b) noexcept {
  return a < b || (b != b && a == a);
}

// The order of n elements, equal ones as they come.
template <class T>
std::vector<i64> sorted_order(const T* x, i64 n, i64 step) {
  std::vector<i64> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), i64(0));
  std::sort(order.begin(), order.end(), [&](i64 i, i64 j) {
    if (before(x[i * step], x[j * step])) return true;
    return !before(x[j * step], x[i * step]) && i < j;
  });
  return order;
}

// Sorts one line, writing either its elements or where they came from.
template <class T, class Out>
void sort_line(const T* x, i64 n, i64 step, Out* out, i64 out_step, bool indices) {
  const auto order = sorted_order(x, n, step);
  for (i64 i = 0; i < n; ++i) {
    const auto from = order[static_cast<std::size_t>(i)];
    out[i * out_step] = indices ? static_cast<Out>(from) : static_cast<Out>(x[from * step]);
  }
}

template <class Out, class Line>
array map_lines(const array& a, std::size_t axis, const extents& shape, dtype type, Line&& line) {
  auto result = array::uninitialized(type, shape);
  auto* out = static_cast<Out*>(result.mutable_raw_data());
  extents outer = a.shape(), strides = a.strides(), to = detail::row_major_strides(shape);
  const auto to_step = to.rank() == a.rank() ? to[axis] : 0;
  outer.erase(axis);
  strides.erase(axis);
  if (to.rank() == a.rank()) to.erase(axis);
  detail::for_each_row<2>(outer, {&strides, &to}, [&](const detail::row<2>& r) {
    for (i64 i = 0; i < r.count; ++i) line(r.offset[0] + i * r.stride[0], out + r.offset[1] + i * r.stride[1], to_step);
  });
  return result;
}

array axis_or_flat(const value& v, const value& axis, bool flatten_without, std::size_t& chosen) {
  auto a = v.to_array();
  if (a.rank() == 0) a = a.reshape({1});
  if (axis.is_nil() && flatten_without) a = a.reshape({-1});
  chosen = axis.is_nil() ? a.rank() - 1 : to_axis(axis, a.rank());
  return a;
}

template <bool Indices>
value sort(call_context&, std::span<value> args) { // (a, axis = last)
  std::size_t axis = 0;
  const auto a = axis_or_flat(args[0], argument(args, 1), false, axis);
  const auto n = a.shape()[axis], step = a.strides()[axis];
  return detail::visit_dtype(a.type(), [&](auto* tag) -> value {
    using T = detail::element_of<decltype(tag)>;
    using Out = std::conditional_t<Indices, i64, T>;
    return map_lines<Out>(a, axis, a.shape(), dtype_of<Out>, [&](i64 from, Out* out, i64 to_step) {
      sort_line(a.data<T>() + from, n, step, out, to_step, Indices);
    });
  });
}

template <bool Largest>
value extreme_index(call_context&, std::span<value> args) { // (a, axis = flattened); the first of equals, NaN wins
  std::size_t axis = 0;
  const auto a = axis_or_flat(args[0], argument(args, 1), true, axis);
  const auto n = a.shape()[axis], step = a.strides()[axis];
  if (n == 0) throw value_error("the axis to search is empty");
  extents shape = a.shape();
  shape.erase(axis);
  return detail::visit_dtype(a.type(), [&](auto* tag) -> value {
    using T = detail::element_of<decltype(tag)>;
    return detail::from_array(map_lines<i64>(a, axis, shape, dtype::int64, [&](i64 from, i64* out, i64) {
      const T* x = a.data<T>() + from;
      i64 best = 0;
      for (i64 i = 1; i < n && x[best * step] == x[best * step]; ++i) {
        const T candidate = x[i * step];
        if ((Largest ? candidate > x[best * step] : candidate < x[best * step]) || candidate != candidate) best = i;
      }
      *out = best;
    }));
  });
}

value unique(call_context&, std::span<value> args) {
  const auto a = args[0].to_array().contiguous();
  return detail::visit_dtype(a.type(), [&](auto* tag) -> value {
    using T = detail::element_of<decltype(tag)>;
    const T* x = a.data<T>();
    auto order = sorted_order(x, a.size(), 1);
    order.erase(std::unique(order.begin(), order.end(),
                            [&](i64 i, i64 j) { return x[i] == x[j] || (x[i] != x[i] && x[j] != x[j]); }),
                order.end());
    auto result = array::uninitialized(a.type(), {static_cast<i64>(order.size())});
    auto* out = result.template mutable_data<T>();
    for (auto i : order) *out++ = x[i];
    return result;
  });
}

value bincount(call_context&, std::span<value> args) { // (a, weights, minlength)
  const auto a = args[0].to_array().contiguous();
  if (a.rank() != 1 || a.type() == dtype::float64) throw value_error("expected a vector of integers");
  const auto x = a.cast(dtype::int64);
  i64 length = argument(args, 2).is_nil() ? 0 : args[2].to_int64();
  for (i64 i = 0; i < x.size(); ++i) {
    if (x.data<i64>()[i] < 0) throw value_error("the integers must not be negative");
    length = std::max(length, x.data<i64>()[i] + 1);
  }
  const bool weighted = !argument(args, 1).is_nil();
  const auto weights = weighted ? args[1].to_array().cast(dtype::float64).contiguous() : array();
  if (weighted && weights.shape() != x.shape()) throw value_error("the weights differ in shape");
  auto result = array::zeros(dtype::float64, {length});
  auto* out = result.mutable_data<double>();
  for (i64 i = 0; i < x.size(); ++i) out[x.data<i64>()[i]] += weighted ? weights.data<double>()[i] : 1.0;
  return weighted ? result : result.cast(dtype::int64);
}

} // namespace

std::span<const primitive> sorting_primitives() {
  static constexpr primitive k_table[] = {
      {"sort", "a, axis=", sort<false>},
      {"argsort", "a, axis=", sort<true>},
      {"argmax", "a, axis=", extreme_index<true>},
      {"argmin", "a, axis=", extreme_index<false>},
      {"unique", "a", unique},
      {"bincount", "a, weights=, minlength=", bincount},
  };
  return k_table;
}

} // namespace treadle::tree
