#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

namespace treadle {

/// Assigns `with` to the elements that satisfy the predicate.
template <any_execution_policy Policy, std::forward_iterator I, class F, class T>
  requires detail::unary_predicate<F, I> && std::indirectly_writable<I, const T&>
auto replace_if(const Policy& policy, I first, I last, F&& predicate, const T& with) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches, const T& replacement) {
        detail::for_parts(
            how,
            [&](I it, I end) {
              detail::loop_value<T> v = replacement;
              for (; it != end; ++it) {
                if (matches(*it)) *it = v;
              }
            },
            from, to);
      },
      first, last, std::forward<F>(predicate), with);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class F, class T>
auto replace_if(const Policy& policy, R&& range, F&& predicate, const T& with) {
  return treadle::replace_if(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate),
                             with);
}

/// Assigns `with` to the elements equal to `value`.
template <any_execution_policy Policy, std::forward_iterator I, class T>
auto replace(const Policy& policy, I first, I last, const T& value, const T& with) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, const T& old, const T& replacement) {
        treadle::replace_if(how, from, to, [&old](const auto& element) -> bool { return element == old; }, replacement);
      },
      first, last, value, with);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class T>
auto replace(const Policy& policy, R&& range, const T& value, const T& with) {
  return treadle::replace(policy, std::ranges::begin(range), detail::last_of(range), value, with);
}

/// Copies to `out`, with `with` for those that satisfy the predicate. Returns the end of the output.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class F, class T>
  requires detail::unary_predicate<F, I> && std::indirectly_copyable<I, O> && std::indirectly_writable<O, const T&>
auto replace_copy_if(const Policy& policy, I first, I last, O out, F&& predicate, const T& with) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& matches, const T& replacement) {
        return detail::for_parts(
            how,
            [&](I it, I end, O o) {
              detail::loop_value<T> v = replacement;
              for (; it != end; ++it, ++o) {
                if (matches(*it))
                  *o = v;
                else
                  *o = *it;
              }
              return o;
            },
            from, to, target);
      },
      first, last, out, std::forward<F>(predicate), with);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class F, class T>
auto replace_copy_if(const Policy& policy, R&& range, O out, F&& predicate, const T& with) {
  return treadle::replace_copy_if(policy, std::ranges::begin(range), detail::last_of(range), out,
                                  std::forward<F>(predicate), with);
}

template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class T>
auto replace_copy(const Policy& policy, I first, I last, O out, const T& value, const T& with) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, const T& old, const T& replacement) {
        return treadle::replace_copy_if(
            how, from, to, target, [&old](const auto& element) -> bool { return element == old; }, replacement);
      },
      first, last, out, value, with);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class T>
auto replace_copy(const Policy& policy, R&& range, O out, const T& value, const T& with) {
  return treadle::replace_copy(policy, std::ranges::begin(range), detail::last_of(range), out, value, with);
}

} // namespace treadle
