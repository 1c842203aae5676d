#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

namespace detail {

template <bool ByNumber>
struct for_each_algorithm {
  static constexpr bool makes_tasks_of_executor = ByNumber;

  template <class Policy, class I, class F>
  void operator()(const Policy& policy, I first, I last, F& f) const {
    for_parts(
        policy,
        [call = loop_function<std::iter_reference_t<I>>(f)](I it, I end) {
          for (; it != end; ++it) call(*it);
        },
        first, last);
  }
};

} // namespace detail

/// Calls f(element) for each element. Like all algorithms here: f is used by reference and by several workers at the
/// same time; the call blocks until all is done, with a policy of (task) it returns a future; an exception is that of
/// the first element for which f throws, those before it are done (docs/guide/algorithms.md).
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires std::invocable<F&, std::iter_reference_t<I>>
auto for_each(const Policy& policy, I first, I last, F&& f) {
  return detail::run_algorithm(policy, detail::for_each_algorithm<std::random_access_iterator<I>>{}, first, last,
                               std::forward<F>(f));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F>
auto for_each(const Policy& policy, R&& range, F&& f) {
  return treadle::for_each(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(f));
}

/// The same for the first n elements (none when n is negative). Returns the end of these.
template <any_execution_policy Policy, std::forward_iterator I, std::integral Size, class F>
  requires std::invocable<F&, std::iter_reference_t<I>>
auto for_each_n(const Policy& policy, I first, Size n, F&& f) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, Size count, auto& function) {
        const I last = detail::last_of(from, count);
        treadle::for_each(how, from, last, function);
        return last;
      },
      first, n, std::forward<F>(f));
}

} // namespace treadle
