#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

template <any_execution_policy Policy, std::forward_iterator I, class T>
  requires std::indirectly_writable<I, const T&>
auto fill(const Policy& policy, I first, I last, const T& value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, const T& wanted) {
        detail::for_parts(
            how,
            [&wanted](I it, I end) {
              detail::loop_value<T> v = wanted;
              for (; it != end; ++it) *it = v;
            },
            from, to);
      },
      first, last, value);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class T>
auto fill(const Policy& policy, R&& range, const T& value) {
  return treadle::fill(policy, std::ranges::begin(range), detail::last_of(range), value);
}
/// The first n elements (none when n is negative). Returns their end.
template <any_execution_policy Policy, std::forward_iterator I, std::integral Size, class T>
  requires std::indirectly_writable<I, const T&>
auto fill_n(const Policy& policy, I first, Size n, const T& value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, Size count, const T& wanted) {
        const I last = detail::last_of(from, count);
        treadle::fill(how, from, last, wanted);
        return last;
      },
      first, n, value);
}

/// Assigns to each element what a call of the generator returns: one call per element, in no particular order, by
/// several workers at the same time.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires std::invocable<F&> && std::indirectly_writable<I, std::invoke_result_t<F&>>
auto generate(const Policy& policy, I first, I last, F&& generator) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& next) {
        detail::for_parts(
            how,
            [&](I it, I end) {
              for (; it != end; ++it) *it = next();
            },
            from, to);
      },
      first, last, std::forward<F>(generator));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto generate(const Policy& policy, R&& range, F&& generator) {
  return treadle::generate(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(generator));
}
template <any_execution_policy Policy, std::forward_iterator I, std::integral Size, class F>
  requires std::invocable<F&> && std::indirectly_writable<I, std::invoke_result_t<F&>>
auto generate_n(const Policy& policy, I first, Size n, F&& generator) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, Size count, auto& next) {
        const I last = detail::last_of(from, count);
        treadle::generate(how, from, last, next);
        return last;
      },
      first, n, std::forward<F>(generator));
}

/// first[i] = value + i.
template <any_execution_policy Policy, std::random_access_iterator I, class T>
  requires std::is_arithmetic_v<T> && std::indirectly_writable<I, T>
auto iota(const Policy& policy, I first, I last, T value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, T start) {
        detail::for_parts(
            how,
            [=](I it, I end) {
              auto i = it - from;
              for (; it != end; ++it, ++i) *it = static_cast<T>(start + static_cast<T>(i));
            },
            from, to);
      },
      first, last, value);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class T>
auto iota(const Policy& policy, R&& range, T value) {
  return treadle::iota(policy, std::ranges::begin(range), detail::last_of(range), value);
}

} // namespace treadle
