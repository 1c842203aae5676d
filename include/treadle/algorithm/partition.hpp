#pragma once

#include <treadle/algorithm/any_of.hpp>
#include <treadle/algorithm/detail/compact.hpp>
#include <treadle/algorithm/find.hpp>

#include <vector>

namespace treadle {

namespace detail {

/// A part in which the elements that satisfy the predicate come first.
template <class I>
struct partitioned {
  I begin{};
  I middle{};
  I end{};
  bool any = false;

  /// Of the two that follow each other, exchanges the shorter of what is in the way.
  template <class Policy>
  void append(const Policy& policy, const partitioned& right) {
    if (!any) {
      *this = right;
    } else if (right.any) {
      const auto wrong = end - middle;
      const auto good = right.middle - right.begin;
      const auto swaps = wrong < good ? wrong : good;
      treadle::swap_ranges(policy, middle, middle + swaps, right.middle - swaps);
      middle += good;
      end = right.end;
    }
  }
};

template <class I, class F>
I partition_serially(I first, I last, F& matches) {
  if constexpr (std::bidirectional_iterator<I>) {
    for (;;) {
      while (first != last && matches(*first)) ++first;
      if (first == last) return first;
      do {
        if (first == --last) return first;
      } while (!matches(*last));
      std::ranges::iter_swap(first++, last);
    }
  } else {
    while (first != last && matches(*first)) ++first;
    for (I it = first; it != last; ++it) {
      if (matches(*it)) std::ranges::iter_swap(first++, it);
    }
    return first;
  }
}

/// A part in which the elements that satisfy the predicate come first; the others are kept outside.
template <class I>
struct divided {
  kept_elements<I> kept;
  std::vector<std::vector<std::iter_value_t<I>>> others; // its own, then those of the parts behind it
};

} // namespace detail

/// Moves the elements that satisfy the predicate before the others. Returns the first of the others.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I> && std::permutable<I>
auto partition(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        if constexpr (detail::in_parallel<Policy, I>) {
          using state = detail::partitioned<I>;
          state all{from, from, from};
          detail::fold_parts(
              how, all,
              [&](state& part, I it, I end) {
                if (it != end) part.append(seq, {it, detail::partition_serially(it, end, matches), end, true});
              },
              [&](state& left, const state& right) { left.append(how.with(auto_chunk_size{}), right); }, from, to);
          return all.middle;
        } else {
          return detail::partition_serially(from, to, matches);
        }
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F>
auto partition(const Policy& policy, R&& range, F&& predicate) {
  return treadle::partition(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

/// The same; elements of each kind keep their order. Allocates room for those that do not satisfy the predicate. After
/// an exception all elements are valid but unspecified.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I> && std::permutable<I>
auto stable_partition(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        using state = detail::divided<I>;
        state all{{from, from}, {}};
        detail::fold_parts(
            how, all,
            [&](state& part, I it, I end) {
              if (it == end) return;
              if (!part.kept.any) part = {{it, it, true}, std::vector<std::vector<std::iter_value_t<I>>>(1)};
              I target = part.kept.end;
              auto& others = part.others.front();
              for (; it != end; ++it) {
                if (!matches(*it)) {
                  others.push_back(std::ranges::iter_move(it));
                  continue;
                }
                if (target != it) *target = std::ranges::iter_move(it);
                ++target;
              }
              part.kept.end = target;
            },
            [&](auto& left, auto& right) {
              detail::append_kept(how, left.kept, right.kept);
              for (auto& others : right.others) left.others.push_back(std::move(others));
            },
            from, to);
        const I middle = all.kept.end;
        I target = middle;
        for (auto& others : all.others)
          target = treadle::move(how.with(auto_chunk_size{}), others.begin(), others.end(), target);
        return middle;
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F>
auto stable_partition(const Policy& policy, R&& range, F&& predicate) {
  return treadle::stable_partition(policy, std::ranges::begin(range), detail::last_of(range),
                                   std::forward<F>(predicate));
}

/// Whether all elements that satisfy the predicate come before all others.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto is_partitioned(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        return treadle::none_of(how, treadle::find_if_not(how, from, to, matches), to, matches);
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto is_partitioned(const Policy& policy, R&& range, F&& predicate) {
  return treadle::is_partitioned(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

} // namespace treadle
