#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

/// True when some element satisfies the predicate; as soon as one is known, all parts stop.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto any_of(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) -> bool {
        const auto search = [&](I it, I end) {
          while (it != end && !matches(*it)) ++it;
          return it != end;
        };
        if constexpr (detail::in_parallel<Policy, I>) {
          detail::atomic<bool> found{false}; // relaxed: nothing but itself is shared, and it is read after the join
          detail::for_ranges(how, detail::count_of(from, to), [&](std::uint64_t begin, std::uint64_t end) {
            if (found.load(detail::order::relaxed)) return false;
            if (!search(detail::nth(from, begin), detail::nth(from, end))) return true;
            found.store(true, detail::order::relaxed);
            return false;
          });
          return found.load(detail::order::relaxed);
        } else {
          return search(from, to);
        }
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto any_of(const Policy& policy, R&& range, F&& predicate) {
  return treadle::any_of(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto none_of(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy, [](const auto& how, I from, I to, auto& matches) { return !treadle::any_of(how, from, to, matches); },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto none_of(const Policy& policy, R&& range, F&& predicate) {
  return treadle::none_of(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I>
auto all_of(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        return !treadle::any_of(how, from, to, [&](auto&& element) -> bool { return !matches(element); });
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto all_of(const Policy& policy, R&& range, F&& predicate) {
  return treadle::all_of(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

} // namespace treadle
