#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

/// out[i] = f(first[i]); `out` may be `first`. Returns the end of the output.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class F>
  requires std::invocable<F&, std::iter_reference_t<I>>
auto transform(const Policy& policy, I first, I last, O out, F&& f) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& function) {
        return detail::for_parts(
            how,
            [call = detail::loop_function<std::iter_reference_t<I>>(function)](I it, I end, O o) {
              for (; it != end; ++it, ++o) *o = call(*it);
              return o;
            },
            from, to, target);
      },
      first, last, out, std::forward<F>(f));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class F>
auto transform(const Policy& policy, R&& range, O out, F&& f) {
  return treadle::transform(policy, std::ranges::begin(range), detail::last_of(range), out, std::forward<F>(f));
}

/// out[i] = f(first[i], second[i]); `out` may be one of the inputs.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J,
          std::input_or_output_iterator O, class F>
  requires std::invocable<F&, std::iter_reference_t<I>, std::iter_reference_t<J>>
auto transform(const Policy& policy, I first, I last, J second, O out, F&& f) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, O target, auto& function) {
        return detail::for_parts(
            how,
            [call = detail::loop_function<std::iter_reference_t<I>, std::iter_reference_t<J>>(function)](I it, I end,
                                                                                                         O o, J j) {
              for (; it != end; ++it, ++j, ++o) *o = call(*it, *j);
              return o;
            },
            from, to, target, other);
      },
      first, last, second, out, std::forward<F>(f));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::forward_iterator J,
          std::input_or_output_iterator O, class F>
auto transform(const Policy& policy, R&& range, J second, O out, F&& f) {
  return treadle::transform(policy, std::ranges::begin(range), detail::last_of(range), second, out, std::forward<F>(f));
}

/// out[0] = first[0], out[i] = op(first[i], first[i - 1]). The output must not overlap the input.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O,
          class Op = detail::minus>
  requires std::invocable<Op&, std::iter_reference_t<I>, std::iter_reference_t<I>>
auto adjacent_difference(const Policy& policy, I first, I last, O out, Op&& op = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& function) {
        if (from == to) return target;
        *target = *from;
        return detail::for_parts(
            how,
            [&](I it, I end, O o, I previous) {
              for (; it != end; ++it, ++previous, ++o) *o = function(*it, *previous);
              return o;
            },
            std::ranges::next(from), to, ++target, from);
      },
      first, last, out, std::forward<Op>(op));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O,
          class Op = detail::minus>
auto adjacent_difference(const Policy& policy, R&& range, O out, Op&& op = {}) {
  return treadle::adjacent_difference(policy, std::ranges::begin(range), detail::last_of(range), out,
                                      std::forward<Op>(op));
}

} // namespace treadle
