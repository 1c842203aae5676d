#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

/// Copies to `out`, which must not overlap the input. Returns the end of the output.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O>
  requires std::indirectly_copyable<I, O>
auto copy(const Policy& policy, I first, I last, O out) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target) {
        return detail::for_parts(
            how,
            [](I it, I end, O o) {
              for (; it != end; ++it, ++o) *o = *it;
              return o;
            },
            from, to, target);
      },
      first, last, out);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O>
auto copy(const Policy& policy, R&& range, O out) {
  return treadle::copy(policy, std::ranges::begin(range), detail::last_of(range), out);
}

/// The first n elements (none when n is negative).
template <any_execution_policy Policy, std::forward_iterator I, std::integral Size, std::input_or_output_iterator O>
  requires std::indirectly_copyable<I, O>
auto copy_n(const Policy& policy, I first, Size n, O out) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, Size count, O target) {
        return treadle::copy(how, from, detail::last_of(from, count), target);
      },
      first, n, out);
}

/// Moves the elements to `out`, which must not overlap the input.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O>
  requires std::indirectly_movable<I, O>
auto move(const Policy& policy, I first, I last, O out) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target) {
        return detail::for_parts(
            how,
            [](I it, I end, O o) {
              for (; it != end; ++it, ++o) *o = std::ranges::iter_move(it);
              return o;
            },
            from, to, target);
      },
      first, last, out);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O>
auto move(const Policy& policy, R&& range, O out) {
  return treadle::move(policy, std::ranges::begin(range), detail::last_of(range), out);
}

/// Exchanges the elements with those from `second` on. Returns the end of these.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J>
  requires std::indirectly_swappable<I, J>
auto swap_ranges(const Policy& policy, I first, I last, J second) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other) {
        return detail::for_parts(
            how,
            [](I it, I end, J j) {
              for (; it != end; ++it, ++j) std::ranges::iter_swap(it, j);
              return j;
            },
            from, to, other);
      },
      first, last, second);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, detail::lasting S>
auto swap_ranges(const Policy& policy, R&& range, S&& second) {
  return treadle::swap_ranges(policy, std::ranges::begin(range), detail::last_of(range), std::ranges::begin(second));
}

} // namespace treadle
