// Order: sort, arguments of extremes, unique elements. NaN sorts last, as in NumPy.
#include "tree/kernels/extremes.hpp"
#include "tree/nodes/primitive.hpp"
#include "tree/run/services.hpp"

#include "algorithm/number_keys.hpp"
#include "base/dispatch.hpp"
#include "value/strided.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/algorithm/sort.hpp>
#include <treadle/detail/slab.hpp>

#include <algorithm>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
using detail::both;
using detail::either;

template <class T>
TREADLE_LOOP bool is_nan(T x) noexcept {
  return x != x;
}

template <class T>
void sort_numbers(T* x, T* end, bool parallel) {
  if (parallel)
    treadle::sort(par, x, end);
  else
    treadle::sort(seq, x, end);
}

// Sorts one line that lies in a row, NaN last. treadle::sort wants numbers that compare.
template <class T>
void sort_values(T* x, i64 n, bool parallel) {
  auto* end = x + n;
  if constexpr (std::is_same_v<T, bool>) {
    const auto falses = std::count(x, end, false);
    std::fill(x, x + falses, false);
    std::fill(x + falses, end, true);
    return;
  } else {
    if constexpr (std::is_same_v<T, double>) end = std::partition(x, end, [](T e) { return !is_nan(e); });
    sort_numbers(x, end, parallel);
  }
}

using detail::uint128;

// An element's rank above, where it was below: equal ones keep their order.
template <class T>
uint128 sort_key(T element, i64 index) noexcept {
  std::uint64_t rank = ~std::uint64_t{0}; // of NaN
  if constexpr (!std::is_same_v<T, double>)
    rank = detail::number_keys<i64, false>::of(element);
  else if (!is_nan(element))
    rank = detail::number_keys<double, false>::of(element + 0.0); // one zero, no -0.0
  return uint128{rank} << 64 | static_cast<std::uint64_t>(index);
}

template <class T>
void sort_indices(const T* x, i64 n, bool parallel, i64* out) {
  const detail::slab_array<uint128> memory(static_cast<std::size_t>(n));
  auto* const keys = memory.data();
  for (i64 i = 0; i < n; ++i) keys[i] = sort_key(x[i], i);
  sort_numbers(keys, keys + n, parallel);
  for (i64 i = 0; i < n; ++i) out[i] = static_cast<i64>(keys[i]);
}

// Calls line(offset) for each of the lines of n elements that lie one after the other.
template <class Line>
void for_each_line(i64 size, i64 n, bool parallel, const Line& line) {
  if (parallel && size > n && size > detail::k_undivided_numbers)
    for_loop(par, i64(0), size / n, [&](i64 i) { line(i * n); });
  else
    for (i64 from = 0; from < size; from += n) line(from);
}

// An index for each line along `axis`, of which line(offset) tells.
template <class Line>
array index_of_lines(const array& a, std::size_t axis, const extents& shape, Line&& line) {
  auto result = array::uninitialized(dtype::int64, shape);
  auto* out = static_cast<i64*>(result.mutable_raw_data());
  extents outer = a.shape(), strides = a.strides();
  const extents to = detail::row_major_strides(shape);
  outer.erase(axis);
  strides.erase(axis);
  detail::for_each_row<2>(outer, {&strides, &to}, [&](const detail::row<2>& r) {
    for (i64 i = 0; i < r.count; ++i) out[r.offset[1] + i * r.stride[1]] = line(r.offset[0] + i * r.stride[0]);
  });
  return result;
}

// All elements in a row when there is no axis.
array axis_or_flat(const value& v, const value& axis, std::size_t& chosen) {
  auto a = v.to_array();
  if (axis.is_nil() || a.rank() == 0) a = a.reshape({-1});
  chosen = axis.is_nil() ? a.rank() - 1 : to_axis(axis, a.rank());
  return a;
}

// Every kind of NumPy's gives what a stable one gives.
void check_kind(const value& kind) {
  if (kind.is_nil()) return;
  for (std::string_view known : {"quicksort", "mergesort", "heapsort", "stable"})
    if (kind.to_string_view() == known) return;
  throw value_error("unknown kind " + repr(kind) + ": use \"quicksort\", \"mergesort\", \"heapsort\" or \"stable\"");
}

template <bool Indices>
value sort(call_context& context, std::span<value> args) { // (a, axis = -1, kind); axis nil: of all elements
  const bool parallel = context.services && context.services->allows_tasks();
  static const value k_last(-1);
  const auto& along = args.size() > 1 ? args[1] : k_last;
  check_kind(argument(args, 2));
  std::size_t axis = 0;
  const auto a = axis_or_flat(args[0], along, axis);
  if (!Indices && !along.is_nil() && as_number(args[0]).is_scalar()) to_axis(along, 0); // NumPy sorts no scalar
  auto rows = detail::exchange_axes(a, axis, a.rank() - 1).copy();
  const auto n = a.shape()[axis], size = a.size();
  return detail::visit_dtype(a.type(), [&](auto* tag) -> value {
    auto* const x = rows.mutable_data<detail::element_of<decltype(tag)>>();
    if constexpr (Indices) {
      auto indices = array::uninitialized(dtype::int64, rows.shape());
      auto* const out = indices.mutable_data<i64>();
      for_each_line(size, n, parallel, [&](i64 from) { sort_indices(x + from, n, parallel, out + from); });
      rows = std::move(indices);
    } else {
      for_each_line(size, n, parallel, [&](i64 from) { sort_values(x + from, n, parallel); });
    }
    return axis + 1 == a.rank() ? rows : detail::exchange_axes(rows, axis, a.rank() - 1).copy();
  });
}

template <bool Largest, class T>
TREADLE_LOOP bool beats(T candidate, T best) noexcept {
  return either(Largest ? candidate > best : candidate < best, is_nan(candidate));
}

// Where the extreme of numbers stands first: all others are worse, which is one comparison where equality and NaN are
// two.
template <bool Largest, class T>
struct find_row {
  TREADLE_LOOP static bool is_worse(T x, T extreme) noexcept { return Largest ? x < extreme : x > extreme; }
  TREADLE_LOOP static void run(const T* x, i64 count, T extreme, i64* result) {
    constexpr i64 k_step = 32;
    i64 i = 0;
    for (; i + k_step <= count; i += k_step) {
      i64 found = 0;
      for (i64 k = 0; k < k_step; ++k) found |= is_worse(x[i + k], extreme) ? 0 : 1;
      if (found) break;
    }
    while (is_worse(x[i], extreme)) ++i;
    *result = i;
  }
};

constexpr i64 k_block = 2048; // elements that stay in the first cache

template <bool Largest, class T>
i64 extreme_of_row(const T* x, i64 n) {
  i64 best = 0;
  for (i64 i = 0; i < n; i += k_block) {
    const auto count = std::min(k_block, n - i);
    T found{};
    detail::run_wide<extreme_row<Largest, T>>(x + i, count, &found);
    if (is_nan(found)) return std::find_if(x + i, x + n, [](T e) { return is_nan(e); }) - x;
    if (i > 0 && !beats<Largest>(found, x[best])) continue;
    detail::run_wide<find_row<Largest, T>>(x + i, count, found, &best);
    best += i;
  }
  return best;
}

// The best of each column so far, and where it stands.
template <bool Largest, class T>
struct column_row {
  TREADLE_LOOP static void run(const T* x, i64 count, i64 row, T* best, i64* where) {
    for (i64 i = 0; i < count; ++i) {
      const bool better = both(beats<Largest>(x[i], best[i]), !is_nan(best[i]));
      best[i] = better ? x[i] : best[i];
      where[i] = better ? row : where[i];
    }
  }
};

// Over the rows of a matrix: row by row, because its columns lie apart.
template <bool Largest, class T>
array extreme_rows(const array& a) {
  const auto rows = a.shape()[0], columns = a.shape()[1];
  auto result = array::zeros(dtype::int64, {columns});
  std::vector<double> kept(static_cast<std::size_t>(columns)); // room for any type
  auto* const best = reinterpret_cast<T*>(kept.data());
  std::copy_n(a.data<T>(), columns, best);
  for (i64 i = 1; i < rows; ++i)
    detail::run_wide<column_row<Largest, T>>(a.data<T>() + i * a.strides()[0], columns, i, best,
                                             static_cast<i64*>(result.object()->data));
  return result;
}

template <bool Largest>
value extreme_index(call_context&, std::span<value> args) { // (a, axis, keepdims); the first of equals, NaN wins
  std::size_t axis = 0;
  const auto a = axis_or_flat(args[0], argument(args, 1), axis);
  const auto n = a.shape()[axis], step = a.strides()[axis];
  extents shape = a.shape();
  shape.erase(axis);
  if (n == 0) throw value_error("the axis to search is empty");
  return detail::visit_dtype(a.type(), [&](auto* tag) -> value {
    using T = detail::element_of<decltype(tag)>;
    const bool by_rows = a.rank() == 2 && axis == 0 && a.strides()[1] == 1;
    const auto found = by_rows ? extreme_rows<Largest, T>(a) : index_of_lines(a, axis, shape, [&](i64 from) {
      const T* x = a.data<T>() + from;
      if (step == 1) return extreme_of_row<Largest>(x, n);
      i64 best = 0;
      for (i64 i = 1; i < n && !is_nan(x[best * step]); ++i)
        if (beats<Largest>(x[i * step], x[best * step])) best = i;
      return best;
    });
    if (argument(args, 2).is_nil() || !args[2].to_bool()) return detail::from_array(found);
    extents kept = args[0].to_array().shape();
    for (std::size_t i = 0; i < kept.rank(); ++i)
      if (i == axis || args[1].is_nil()) kept[i] = 1;
    return detail::from_array(found.reshape(kept));
  });
}

value unique(call_context& context, std::span<value> args) {
  auto a = args[0].to_array().copy();
  const bool parallel = context.services && context.services->allows_tasks();
  return detail::visit_dtype(a.type(), [&](auto* tag) -> value {
    using T = detail::element_of<decltype(tag)>;
    T* x = a.template mutable_data<T>();
    sort_values(x, a.size(), parallel);
    const auto* end =
        std::unique(x, x + a.size(), [](T p, T q) { return p == q || (is_nan(p) && is_nan(q)); }); // NaN once
    return array::of<T>({end - x}, std::span(static_cast<const T*>(x), static_cast<std::size_t>(end - x)));
  });
}

struct most_if_no_negative { // else a negative number
  TREADLE_LOOP static void run(const i64* x, i64 count, i64* result) {
    i64 signs = 0, most = 0;
    for (i64 i = 0; i < count; ++i) {
      signs |= x[i];
      most = std::max(most, x[i]);
    }
    *result = signs < 0 ? signs : most;
  }
};

value bincount(call_context&, std::span<value> args) { // (a, weights, minlength)
  const auto a = args[0].to_array();
  const bool is_empty_list = args[0].is_list() && a.size() == 0; // which has no type yet
  if (a.rank() != 1 || (a.type() == dtype::float64 && !is_empty_list))
    throw value_error("expected a vector of integers");
  const auto x = a.cast(dtype::int64).contiguous();
  const auto* from = x.data<i64>();
  i64 length = argument(args, 2).is_nil() ? 0 : args[2].to_int64();
  if (length < 0) throw value_error("the least length must not be negative");
  if (x.size() > 0) {
    i64 most = 0;
    detail::run_wide<most_if_no_negative>(from, x.size(), &most);
    if (most < 0) throw value_error("the integers must not be negative");
    length = std::max(length, extents{most}.product() + 1); // which refuses what no array can have
  }
  if (argument(args, 1).is_nil() || x.size() == 0) { // of nothing NumPy counts integers, also with weights
    auto counts = array::zeros(dtype::int64, {length});
    auto* out = counts.mutable_data<i64>();
    for (i64 i = 0, n = x.size(); i < n; ++i) ++out[from[i]];
    return counts;
  }
  const auto weights = args[1].to_array().cast(dtype::float64).contiguous();
  if (weights.shape() != x.shape()) throw value_error("the weights differ in shape");
  auto sums = array::zeros(dtype::float64, {length});
  auto* out = sums.mutable_data<double>();
  for (i64 i = 0, n = x.size(); i < n; ++i) out[from[i]] += weights.data<double>()[i];
  return sums;
}

} // namespace

std::span<const primitive> sorting_primitives() {
  static constexpr primitive k_table[] = {
      {"sort", "a, axis=-1, kind=", sort<false>},
      {"argsort", "a, axis=-1, kind=", sort<true>},
      {"argmax", "a, axis=, keepdims=", extreme_index<true>},
      {"argmin", "a, axis=, keepdims=", extreme_index<false>},
      {"unique", "a", unique},
      {"bincount", "a, weights=, minlength=", bincount},
  };
  return k_table;
}

} // namespace treadle::tree
