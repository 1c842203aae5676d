#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

namespace detail {

/// Whether the pattern is at `it`, as far as [it, last) goes.
template <class I, class J, class F>
bool matches_at(I it, const I& last, J pattern, const J& pattern_last, F& equal) {
  for (; pattern != pattern_last; ++it, ++pattern) {
    if (it == last || !equal(*it, *pattern)) return false;
  }
  return true;
}

} // namespace detail

/// The first occurrence of [pattern_first, pattern_last) in [first, last); `last` when there is none, `first` when the
/// pattern is empty.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto search(const Policy& policy, I first, I last, J pattern_first, J pattern_last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J pattern, J pattern_to, auto& equal) {
        const auto length = std::ranges::distance(pattern, pattern_to);
        const auto distance = std::ranges::distance(from, to);
        if (length == 0) return from;
        if (distance < length) return to;
        const I starts_end = std::ranges::next(from, distance - length + 1);
        const I hit = detail::find_part(
            how,
            [&](I it, I end) {
              while (it != end && !detail::matches_at(it, to, pattern, pattern_to, equal)) ++it;
              return it;
            },
            from, starts_end);
        return hit == starts_end ? to : hit;
      },
      first, last, pattern_first, pattern_last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, detail::range_for<Policy> S, class F = detail::equal_to>
auto search(const Policy& policy, R&& range, S&& pattern, F&& predicate = {}) {
  return treadle::search(policy, std::ranges::begin(range), detail::last_of(range), std::ranges::begin(pattern),
                         detail::last_of(pattern), std::forward<F>(predicate));
}

/// The last occurrence; `last` when there is none or the pattern is empty. With iterators that cannot go back it looks
/// at everything.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, class F = detail::equal_to>
  requires detail::binary_predicate<F, I, J>
auto find_end(const Policy& policy, I first, I last, J pattern_first, J pattern_last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J pattern, J pattern_to, auto& equal) {
        const auto length = std::ranges::distance(pattern, pattern_to);
        const auto distance = std::ranges::distance(from, to);
        if (length == 0 || distance < length) return to;
        const I starts_end = std::ranges::next(from, distance - length + 1);
        if constexpr (std::bidirectional_iterator<I>) {
          using backward = std::reverse_iterator<I>;
          const backward hit = detail::find_part(
              how,
              [&](backward it, backward end) {
                while (it != end && !detail::matches_at(std::ranges::prev(it.base()), to, pattern, pattern_to, equal))
                  ++it;
                return it;
              },
              backward(starts_end), backward(from));
          return hit == backward(from) ? to : std::ranges::prev(hit.base());
        } else {
          I hit = to;
          for (I it = from; it != starts_end; ++it) {
            if (detail::matches_at(it, to, pattern, pattern_to, equal)) hit = it;
          }
          return hit;
        }
      },
      first, last, pattern_first, pattern_last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, detail::range_for<Policy> S, class F = detail::equal_to>
auto find_end(const Policy& policy, R&& range, S&& pattern, F&& predicate = {}) {
  return treadle::find_end(policy, std::ranges::begin(range), detail::last_of(range), std::ranges::begin(pattern),
                           detail::last_of(pattern), std::forward<F>(predicate));
}

} // namespace treadle
