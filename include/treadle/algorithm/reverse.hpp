#pragma once

#include <treadle/algorithm/copy.hpp>

namespace treadle {

template <any_execution_policy Policy, std::bidirectional_iterator I>
  requires std::permutable<I>
auto reverse(const Policy& policy, I first, I last) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to) {
        if constexpr (std::random_access_iterator<I>) {
          treadle::swap_ranges(how, from, from + (to - from) / 2, std::reverse_iterator<I>(to));
        } else {
          while (from != to && from != --to) std::ranges::iter_swap(from++, to);
        }
      },
      first, last);
}
template <any_execution_policy Policy, detail::range_for<Policy> R>
auto reverse(const Policy& policy, R&& range) {
  return treadle::reverse(policy, std::ranges::begin(range), detail::last_of(range));
}

template <any_execution_policy Policy, std::bidirectional_iterator I, std::input_or_output_iterator O>
  requires std::indirectly_copyable<I, O>
auto reverse_copy(const Policy& policy, I first, I last, O out) {
  using backward = std::reverse_iterator<I>;
  return treadle::copy(policy, backward(last), backward(first), out);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O>
auto reverse_copy(const Policy& policy, R&& range, O out) {
  return treadle::reverse_copy(policy, std::ranges::begin(range), detail::last_of(range), out);
}

/// Exchanges [first, middle) with [middle, last). Returns where the element that was the first is now.
template <any_execution_policy Policy, std::forward_iterator I>
  requires std::permutable<I>
auto rotate(const Policy& policy, I first, I middle, I last) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I mid, I to) {
        if (from == mid) return to;
        if (mid == to) return from;
        if constexpr (detail::in_parallel<Policy, I>) {
          treadle::reverse(how, from, mid);
          treadle::reverse(how, mid, to);
          treadle::reverse(how, from, to);
          return from + (to - mid);
        } else {
          const I result = std::ranges::next(from, std::ranges::distance(mid, to));
          for (I next = mid; from != next;) {
            std::ranges::iter_swap(from++, next++);
            if (next == to)
              next = mid;
            else if (from == mid)
              mid = next;
          }
          return result;
        }
      },
      first, middle, last);
}
template <any_execution_policy Policy, detail::lasting R>
auto rotate(const Policy& policy, R&& range, detail::iterator_of<R> middle) {
  return treadle::rotate(policy, std::ranges::begin(range), middle, detail::last_of(range));
}

template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O>
  requires std::indirectly_copyable<I, O>
auto rotate_copy(const Policy& policy, I first, I middle, I last, O out) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I mid, I to, O target) {
        return treadle::copy(how, from, mid, treadle::copy(how, mid, to, target));
      },
      first, middle, last, out);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O>
auto rotate_copy(const Policy& policy, R&& range, detail::iterator_of<R> middle, O out) {
  return treadle::rotate_copy(policy, std::ranges::begin(range), middle, detail::last_of(range), out);
}

} // namespace treadle
