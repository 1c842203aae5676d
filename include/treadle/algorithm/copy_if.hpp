#pragma once

#include <treadle/algorithm/detail/split_copy.hpp>

namespace treadle {

// The output must not overlap the input; the order is kept. All return the end of the output.

/// Copies the elements that satisfy the predicate.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class F>
  requires detail::unary_predicate<F, I> && std::indirectly_copyable<I, O>
auto copy_if(const Policy& policy, I first, I last, O out, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& matches) {
        const auto select = [&](const I& it) -> bool { return matches(*it); };
        return detail::split_copy(how, select, from, to, target, detail::nowhere{}).first;
      },
      first, last, out, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class F>
auto copy_if(const Policy& policy, R&& range, O out, F&& predicate) {
  return treadle::copy_if(policy, std::ranges::begin(range), detail::last_of(range), out, std::forward<F>(predicate));
}

/// Copies the others.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class F>
  requires detail::unary_predicate<F, I> && std::indirectly_copyable<I, O>
auto remove_copy_if(const Policy& policy, I first, I last, O out, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& matches) {
        return treadle::copy_if(how, from, to, target, [&](auto&& element) -> bool { return !matches(element); });
      },
      first, last, out, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class F>
auto remove_copy_if(const Policy& policy, R&& range, O out, F&& predicate) {
  return treadle::remove_copy_if(policy, std::ranges::begin(range), detail::last_of(range), out,
                                 std::forward<F>(predicate));
}

/// Copies the elements that are not equal to the value.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class T>
auto remove_copy(const Policy& policy, I first, I last, O out, const T& value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, const T& unwanted) {
        detail::loop_value<T> v = unwanted;
        return treadle::copy_if(how, from, to, target, [&v](const auto& element) -> bool { return !(element == v); });
      },
      first, last, out, value);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class T>
auto remove_copy(const Policy& policy, R&& range, O out, const T& value) {
  return treadle::remove_copy(policy, std::ranges::begin(range), detail::last_of(range), out, value);
}

/// Copies the elements that satisfy the predicate to `yes`, the others to `no`. Returns the ends of both.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator Yes,
          std::input_or_output_iterator No, class F>
  requires detail::unary_predicate<F, I> && std::indirectly_copyable<I, Yes> && std::indirectly_copyable<I, No>
auto partition_copy(const Policy& policy, I first, I last, Yes yes, No no, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, Yes y, No n, auto& matches) {
        return detail::split_copy(how, [&](const I& it) -> bool { return matches(*it); }, from, to, y, n);
      },
      first, last, yes, no, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator Yes,
          std::input_or_output_iterator No, class F>
auto partition_copy(const Policy& policy, R&& range, Yes yes, No no, F&& predicate) {
  return treadle::partition_copy(policy, std::ranges::begin(range), detail::last_of(range), yes, no,
                                 std::forward<F>(predicate));
}

/// Copies all elements but those that are equal to their predecessor, by an equivalence relation.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O,
          class F = detail::equal_to>
  requires detail::binary_predicate<F, I> && std::indirectly_copyable<I, O>
auto unique_copy(const Policy& policy, I first, I last, O out, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& equal) {
        if constexpr (detail::in_parallel<Policy, I, O>) {
          const auto select = [&](const I& it) -> bool { return it == from || !equal(*std::ranges::prev(it), *it); };
          return detail::split_copy(how, select, from, to, target, detail::nowhere{}).first;
        } else {
          for (I kept = from; from != to; ++from) {
            if (from != kept && equal(*kept, *from)) continue;
            detail::copy_one(kept = from, target);
          }
          return target;
        }
      },
      first, last, out, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O,
          class F = detail::equal_to>
auto unique_copy(const Policy& policy, R&& range, O out, F&& predicate = {}) {
  return treadle::unique_copy(policy, std::ranges::begin(range), detail::last_of(range), out,
                              std::forward<F>(predicate));
}

} // namespace treadle
