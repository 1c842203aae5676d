#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

namespace detail {

/// The best positions so far; of a part that has seen nothing, none.
template <class I>
struct extremes {
  I least{};
  I greatest{};
  bool any = false;
};

/// The first of the minima, or the maxima, or both; an end that is not wanted costs nothing.
template <bool Least, bool Greatest, class Policy, class I, class Compare>
extremes<I> find_extremes(const Policy& policy, I first, I last, Compare& less_than) {
  using state = extremes<I>;
  // The first of equal minima; the last of equal maxima when both are wanted, the first otherwise: as in the standard.
  const auto consider = [&](I& least, I& greatest, const I& low, const I& high) {
    if constexpr (Least) {
      if (less_than(*low, *least)) least = low;
    }
    if constexpr (Greatest && Least) {
      if (!less_than(*high, *greatest)) greatest = high;
    } else if constexpr (Greatest) {
      if (less_than(*greatest, *high)) greatest = high;
    }
  };
  state best{last, last};
  fold_parts(
      policy, best,
      [&](state& part, I it, I end) {
        if (it == end) return;
        I least = part.any ? part.least : it;
        I greatest = part.any ? part.greatest : it;
        if (!part.any) ++it;
        for (; it != end; ++it) consider(least, greatest, it, it);
        part = {least, greatest, true};
      },
      [&](state& left, const state& right) {
        if (!left.any)
          left = right;
        else if (right.any)
          consider(left.least, left.greatest, right.least, right.greatest);
      },
      first, last);
  return best;
}

} // namespace detail

/// The first of the smallest elements; `last` of an empty range.
template <any_execution_policy Policy, std::forward_iterator I, class Compare = detail::less>
  requires detail::binary_predicate<Compare, I>
auto min_element(const Policy& policy, I first, I last, Compare&& compare = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& before) {
        return detail::find_extremes<true, false>(how, from, to, before).least;
      },
      first, last, std::forward<Compare>(compare));
}
template <any_execution_policy Policy, detail::lasting R, class Compare = detail::less>
auto min_element(const Policy& policy, R&& range, Compare&& compare = {}) {
  return treadle::min_element(policy, std::ranges::begin(range), detail::last_of(range),
                              std::forward<Compare>(compare));
}

/// The first of the greatest elements; `last` of an empty range.
template <any_execution_policy Policy, std::forward_iterator I, class Compare = detail::less>
  requires detail::binary_predicate<Compare, I>
auto max_element(const Policy& policy, I first, I last, Compare&& compare = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& before) {
        return detail::find_extremes<false, true>(how, from, to, before).greatest;
      },
      first, last, std::forward<Compare>(compare));
}
template <any_execution_policy Policy, detail::lasting R, class Compare = detail::less>
auto max_element(const Policy& policy, R&& range, Compare&& compare = {}) {
  return treadle::max_element(policy, std::ranges::begin(range), detail::last_of(range),
                              std::forward<Compare>(compare));
}

/// The first of the smallest and the last of the greatest elements, as a pair.
template <any_execution_policy Policy, std::forward_iterator I, class Compare = detail::less>
  requires detail::binary_predicate<Compare, I>
auto minmax_element(const Policy& policy, I first, I last, Compare&& compare = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& before) {
        const auto best = detail::find_extremes<true, true>(how, from, to, before);
        return std::pair<I, I>(best.least, best.greatest);
      },
      first, last, std::forward<Compare>(compare));
}
template <any_execution_policy Policy, detail::lasting R, class Compare = detail::less>
auto minmax_element(const Policy& policy, R&& range, Compare&& compare = {}) {
  return treadle::minmax_element(policy, std::ranges::begin(range), detail::last_of(range),
                                 std::forward<Compare>(compare));
}

} // namespace treadle
