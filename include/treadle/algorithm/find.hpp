#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

// All of these return the first match, as a sequential search does, or `last`. Parts behind a match stop soon; the
// predicate may have been called for some elements behind it.

template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto find_if(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        return detail::find_part(
            how,
            [&](I it, I end) {
              while (it != end && !matches(*it)) ++it;
              return it;
            },
            from, to);
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F>
auto find_if(const Policy& policy, R&& range, F&& predicate) {
  return treadle::find_if(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto find_if_not(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        return treadle::find_if(how, from, to, [&](auto&& element) -> bool { return !matches(element); });
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F>
auto find_if_not(const Policy& policy, R&& range, F&& predicate) {
  return treadle::find_if_not(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

template <any_execution_policy Policy, std::forward_iterator I, class T>
auto find(const Policy& policy, I first, I last, const T& value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, const T& wanted) {
        return treadle::find_if(how, from, to, [&wanted](const auto& element) -> bool { return element == wanted; });
      },
      first, last, value);
}
template <any_execution_policy Policy, detail::lasting R, class T>
auto find(const Policy& policy, R&& range, const T& value) {
  return treadle::find(policy, std::ranges::begin(range), detail::last_of(range), value);
}

/// The first element of [first, last) that matches some element of [set_first, set_last).
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto find_first_of(const Policy& policy, I first, I last, J set_first, J set_last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J set_from, J set_to, auto& matches) {
        return treadle::find_if(how, from, to, [&](auto&& element) {
          for (J it = set_from; it != set_to; ++it) {
            if (matches(element, *it)) return true;
          }
          return false;
        });
      },
      first, last, set_first, set_last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, detail::range_for<Policy> S, class F = detail::equal_to>
auto find_first_of(const Policy& policy, R&& range, S&& set, F&& predicate = {}) {
  return treadle::find_first_of(policy, std::ranges::begin(range), detail::last_of(range), std::ranges::begin(set),
                                detail::last_of(set), std::forward<F>(predicate));
}

/// The first element that matches its successor: predicate(element, successor).
template <any_execution_policy Policy, std::forward_iterator I, class F = detail::equal_to>
  requires detail::binary_predicate<F, I>
auto adjacent_find(const Policy& policy, I first, I last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        if (from == to) return to;
        // Found by the successor: so a forward iterator need not know the last element.
        I before = from;
        I after = std::ranges::next(from);
        if constexpr (detail::in_parallel<Policy, I>) {
          after = detail::find_part(
              how,
              [&](I it, I end, I previous) {
                while (it != end && !matches(*previous, *it)) ++it, ++previous;
                return it;
              },
              after, to, before);
          return after == to ? to : std::ranges::prev(after);
        } else {
          for (; after != to; ++before, ++after) {
            if (matches(*before, *after)) return before;
          }
          return to;
        }
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F = detail::equal_to>
auto adjacent_find(const Policy& policy, R&& range, F&& predicate = {}) {
  return treadle::adjacent_find(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

/// The end of the longest sorted prefix.
template <any_execution_policy Policy, std::forward_iterator I, class Compare = detail::less>
  requires detail::binary_predicate<Compare, I>
auto is_sorted_until(const Policy& policy, I first, I last, Compare&& compare = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& before) {
        const I hit = treadle::adjacent_find(how, from, to, [&](auto&& a, auto&& b) -> bool { return before(b, a); });
        return hit == to ? to : std::ranges::next(hit);
      },
      first, last, std::forward<Compare>(compare));
}
template <any_execution_policy Policy, detail::lasting R, class Compare = detail::less>
auto is_sorted_until(const Policy& policy, R&& range, Compare&& compare = {}) {
  return treadle::is_sorted_until(policy, std::ranges::begin(range), detail::last_of(range),
                                  std::forward<Compare>(compare));
}

template <any_execution_policy Policy, std::forward_iterator I, class Compare = detail::less>
  requires detail::binary_predicate<Compare, I>
auto is_sorted(const Policy& policy, I first, I last, Compare&& compare = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& before) { return treadle::is_sorted_until(how, from, to, before) == to; },
      first, last, std::forward<Compare>(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class Compare = detail::less>
auto is_sorted(const Policy& policy, R&& range, Compare&& compare = {}) {
  return treadle::is_sorted(policy, std::ranges::begin(range), detail::last_of(range), std::forward<Compare>(compare));
}

} // namespace treadle
