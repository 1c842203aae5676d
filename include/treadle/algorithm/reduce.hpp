#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

#include <optional>

namespace treadle {

namespace detail {

/// The sum of some sub-ranges: empty until the first element, so that no identity is needed.
template <class T, class Op, class Value>
auto adding_leaf(Op& op, Value& value_of) {
  return [&op, &value_of](std::optional<T>& sum, auto it, auto end, auto... more) {
    if (it == end) return;
    T all =
        sum ? static_cast<T>(op(*std::move(sum), value_of(*it, *more...))) : static_cast<T>(value_of(*it, *more...));
    for (++it, (++more, ...); it != end; ++it, (++more, ...))
      all = static_cast<T>(op(std::move(all), value_of(*it, *more...)));
    sum = std::move(all);
  };
}

template <class Policy, class T, class Op, class Value, class I, class... More>
T reduce(const Policy& policy, T& init, Op& op, Value& value_of, I first, I last, More... more) {
  std::optional<T> sum(std::move(init));
  detail::fold_parts(
      policy, sum, detail::adding_leaf<T>(op, value_of),
      [&op](std::optional<T>& left, std::optional<T>& right) {
        if (!right) return;
        left = left ? static_cast<T>(op(*std::move(left), *std::move(right))) : *std::move(right);
      },
      first, last, more...);
  return *std::move(sum);
}

} // namespace detail

/// op(...op(op(init, f(first[0])), f(first[1]))..., f(first[n - 1])), with other brackets but in this order: op has to
/// be associative and need not commute. Floating-point sums differ in rounding from run to run. f's results have to
/// convert to T.
template <any_execution_policy Policy, std::forward_iterator I, std::move_constructible T, class Op, class F>
  requires(!std::forward_iterator<T>) && std::invocable<F&, std::iter_reference_t<I>> &&
          std::convertible_to<std::invoke_result_t<F&, std::iter_reference_t<I>>, T> && std::invocable<Op&, T, T>
auto transform_reduce(const Policy& policy, I first, I last, T init, Op&& op, F&& f) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, T& start, auto& add, auto& value_of) {
        return detail::reduce(how, start, add, value_of, from, to);
      },
      first, last, std::move(init), std::forward<Op>(op), std::forward<F>(f));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class T, class Op, class F>
  requires(!std::forward_iterator<T>)
auto transform_reduce(const Policy& policy, R&& range, T init, Op&& op, F&& f) {
  return treadle::transform_reduce(policy, std::ranges::begin(range), detail::last_of(range), std::move(init),
                                   std::forward<Op>(op), std::forward<F>(f));
}

/// The same with f(first[i], second[i]); without functions the inner product.
template <any_execution_policy Policy, std::forward_iterator I, std::forward_iterator J, std::move_constructible T,
          class Op = detail::plus, class F = detail::multiplies>
  requires std::invocable<F&, std::iter_reference_t<I>, std::iter_reference_t<J>> && std::invocable<Op&, T, T>
auto transform_reduce(const Policy& policy, I first, I last, J second, T init, Op&& op = {}, F&& f = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, J other, T& start, auto& add, auto& value_of) {
        return detail::reduce(how, start, add, value_of, from, to, other);
      },
      first, last, second, std::move(init), std::forward<Op>(op), std::forward<F>(f));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::forward_iterator J, class T,
          class Op = detail::plus, class F = detail::multiplies>
auto transform_reduce(const Policy& policy, R&& range, J second, T init, Op&& op = {}, F&& f = {}) {
  return treadle::transform_reduce(policy, std::ranges::begin(range), detail::last_of(range), second, std::move(init),
                                   std::forward<Op>(op), std::forward<F>(f));
}

/// The sum of init and the elements, by op: associative, in order, as above.
template <any_execution_policy Policy, std::forward_iterator I, std::move_constructible T, class Op = detail::plus>
  requires std::convertible_to<std::iter_reference_t<I>, T> && std::invocable<Op&, T, T>
auto reduce(const Policy& policy, I first, I last, T init, Op&& op = {}) {
  return treadle::transform_reduce(policy, first, last, std::move(init), std::forward<Op>(op), detail::unchanged{});
}
/// From a value-initialised element.
template <any_execution_policy Policy, std::forward_iterator I>
auto reduce(const Policy& policy, I first, I last) {
  return treadle::reduce(policy, first, last, std::iter_value_t<I>{});
}
template <any_execution_policy Policy, detail::range_for<Policy> R, class T, class Op = detail::plus>
auto reduce(const Policy& policy, R&& range, T init, Op&& op = {}) {
  return treadle::reduce(policy, std::ranges::begin(range), detail::last_of(range), std::move(init),
                         std::forward<Op>(op));
}
template <any_execution_policy Policy, detail::range_for<Policy> R>
auto reduce(const Policy& policy, R&& range) {
  return treadle::reduce(policy, std::ranges::begin(range), detail::last_of(range));
}

} // namespace treadle
