#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

namespace detail {

/// The first pair that differs. Without an end of the second range (std::unreachable_sentinel) it is long enough.
template <class Policy, class I, class J, class JEnd, class F>
std::pair<I, J> first_difference(const Policy& policy, I first, I last, J second, JEnd second_last, F& equal) {
  if constexpr (in_parallel<Policy, I, J>) {
    std::uint64_t n = count_of(first, last);
    if constexpr (std::same_as<J, JEnd>) {
      if (const std::uint64_t m = count_of(second, second_last); m < n) n = m;
    }
    const I hit = find_part(
        policy,
        [&](I it, I end, J other) {
          while (it != end && equal(*it, *other)) ++it, ++other;
          return it;
        },
        first, nth(first, n), second);
    return {hit, nth(second, count_of(first, hit))};
  } else {
    while (first != last && second != second_last && equal(*first, *second)) ++first, ++second;
    return {first, second};
  }
}

} // namespace detail

/// The first position at which the ranges differ, as a pair of iterators; the end of the shorter one if nowhere.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto mismatch(const Policy& policy, I first, I last, J second, J second_last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, J other_to, auto& equal) {
        return detail::first_difference(how, from, to, other, other_to, equal);
      },
      first, last, second, second_last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto mismatch(const Policy& policy, I first, I last, J second, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, auto& equal) {
        return detail::first_difference(how, from, to, other, std::unreachable_sentinel, equal);
      },
      first, last, second, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, detail::lasting S, class F = detail::equal_to>
auto mismatch(const Policy& policy, R&& range, S&& second, F&& predicate = {}) {
  return treadle::mismatch(policy, std::ranges::begin(range), detail::last_of(range), std::ranges::begin(second),
                           detail::last_of(second), std::forward<F>(predicate));
}

/// Whether the ranges have the same length and equal elements. Of different lengths that are known at once, nothing is
/// compared.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto equal(const Policy& policy, I first, I last, J second, J second_last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, J other_to, auto& same) {
        if constexpr (std::random_access_iterator<I> && std::random_access_iterator<J>) {
          if (detail::count_of(from, to) != detail::count_of(other, other_to)) return false;
        }
        return detail::first_difference(how, from, to, other, other_to, same) == std::pair<I, J>(to, other_to);
      },
      first, last, second, second_last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto equal(const Policy& policy, I first, I last, J second, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, auto& same) {
        return detail::first_difference(how, from, to, other, std::unreachable_sentinel, same).first == to;
      },
      first, last, second, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, detail::range_for<Policy> S,
          class F = detail::equal_to>
auto equal(const Policy& policy, R&& range, S&& second, F&& predicate = {}) {
  return treadle::equal(policy, std::ranges::begin(range), detail::last_of(range), std::ranges::begin(second),
                        detail::last_of(second), std::forward<F>(predicate));
}

/// Whether the first range comes before the second in the order of a dictionary.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class Compare = detail::less>
  requires detail::binary_predicate<Compare, I, J> && detail::binary_predicate<Compare, J, I>
auto lexicographical_compare(const Policy& policy, I first, I last, J second, J second_last, Compare&& compare = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, J other_to, auto& before) -> bool {
        auto same = [&](auto&& a, auto&& b) -> bool { return !before(a, b) && !before(b, a); };
        const auto [hit, other_hit] = detail::first_difference(how, from, to, other, other_to, same);
        if (hit == to || other_hit == other_to) return other_hit != other_to;
        return before(*hit, *other_hit);
      },
      first, last, second, second_last, std::forward<Compare>(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, detail::range_for<Policy> S,
          class Compare = detail::less>
auto lexicographical_compare(const Policy& policy, R&& range, S&& second, Compare&& compare = {}) {
  return treadle::lexicographical_compare(policy, std::ranges::begin(range), detail::last_of(range),
                                          std::ranges::begin(second), detail::last_of(second),
                                          std::forward<Compare>(compare));
}

} // namespace treadle
