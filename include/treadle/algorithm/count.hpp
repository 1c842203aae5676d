#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

/// How many elements satisfy the predicate.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto count_if(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& counts) {
        using number = std::iter_difference_t<I>;
        number total = 0;
        detail::fold_parts(
            how, total,
            [&](number& sum, I it, I end) {
              number n = 0;
              for (; it != end; ++it) n += counts(*it) ? 1 : 0;
              sum += n;
            },
            [](number& left, number right) { left += right; }, from, to);
        return total;
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto count_if(const Policy& policy, R&& range, F&& predicate) {
  return treadle::count_if(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

/// How many elements are equal to the value.
template <any_execution_policy Policy, std::forward_iterator I, class T>
auto count(const Policy& policy, I first, I last, const T& value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, const T& wanted) {
        detail::loop_value<T> v = wanted;
        return treadle::count_if(how, from, to, [&v](const auto& element) { return element == v; });
      },
      first, last, value);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class T>
auto count(const Policy& policy, R&& range, const T& value) {
  return treadle::count(policy, std::ranges::begin(range), detail::last_of(range), value);
}

} // namespace treadle
