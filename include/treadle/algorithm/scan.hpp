#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

#include <optional>
#include <vector>

namespace treadle {

namespace detail {

// The part with the first elements knows what comes before it, so it writes the results at once: when nobody helps,
// that is all. The other parts, and what is given away by them in turn, only add up their elements, chunk by chunk.
// When all these sums are there, each chunk gets what comes before it, and the chunks are scanned in parallel. So their
// elements are read twice, and nothing is written twice or in a type other than that of the sums.

/// Elements that await being scanned.
template <class T>
struct scan_chunk {
  std::uint64_t begin;
  std::uint64_t end;
  std::optional<T> sum; // of its elements; then: of all before it
};

template <class T>
struct scan_state {
  bool writes = false;
  std::optional<T> sum; // of all elements so far, when it writes
  std::vector<scan_chunk<T>> awaiting;
};

/// Replaces the sums of the chunks by the sums of what comes before them.
template <class T, class Op>
void carry_over(scan_state<T>& all, Op& op) {
  std::optional<T> before = std::move(all.sum);
  for (scan_chunk<T>& chunk : all.awaiting) {
    std::optional<T> after;
    if (before)
      after.emplace(static_cast<T>(op(*before, *std::move(chunk.sum))));
    else
      after = std::move(chunk.sum);
    chunk.sum = std::move(before);
    before = std::move(after);
  }
}

/// write(sum, first, last, out): scans from a sum, which it updates; add(first, last): the sum of some elements.
template <class T, class Policy, class Write, class Add, class Op, class I, class O>
O scan_parts(const Policy& policy, std::optional<T> init, Write write, Add add, Op& op, I first, I last, O out) {
  if constexpr (in_parallel<Policy, I, O>) {
    const std::uint64_t n = count_of(first, last);
    scan_state<T> all{true, std::move(init), {}};
    fold_ranges(
        policy, n, all,
        [&](scan_state<T>& part, std::uint64_t begin, std::uint64_t end) {
          if (part.writes)
            write(part.sum, nth(first, begin), nth(first, end), nth(out, begin));
          else
            part.awaiting.push_back({begin, end, add(nth(first, begin), nth(first, end))});
        },
        [] { return scan_state<T>{}; },
        [](scan_state<T>& left, scan_state<T>& right) {
          left.awaiting.insert(left.awaiting.end(), std::move_iterator(right.awaiting.begin()),
                               std::move_iterator(right.awaiting.end()));
        });
    carry_over(all, op);
    for_parts(
        policy.with(auto_chunk_size{}),
        [&](auto chunk, auto end) {
          for (; chunk != end; ++chunk)
            write(chunk->sum, nth(first, chunk->begin), nth(first, chunk->end), nth(out, chunk->begin));
        },
        all.awaiting.begin(), all.awaiting.end());
    return nth(out, n);
  } else {
    return write(init, first, last, out);
  }
}

template <class T, class Op, class F>
auto adding_scan(Op& op, F& value_of) {
  return [&op, &value_of](auto it, auto end) -> T {
    T sum = static_cast<T>(value_of(*it));
    for (++it; it != end; ++it) sum = static_cast<T>(op(std::move(sum), value_of(*it)));
    return sum;
  };
}

template <class T, class Policy, class I, class O, class Op, class F>
O inclusive_scan(const Policy& policy, I first, I last, O out, Op& op, F& value_of, std::optional<T> init) {
  const auto write = [&](std::optional<T>& before, I it, I end, O o) {
    if (it == end) return o;
    T sum = before ? static_cast<T>(op(*std::move(before), value_of(*it))) : static_cast<T>(value_of(*it));
    *o = sum;
    for (++it, ++o; it != end; ++it, ++o) {
      sum = static_cast<T>(op(std::move(sum), value_of(*it)));
      *o = sum;
    }
    before = std::move(sum);
    return o;
  };
  return scan_parts<T>(policy, std::move(init), write, adding_scan<T>(op, value_of), op, first, last, out);
}

template <class T, class Policy, class I, class O, class Op, class F>
O exclusive_scan(const Policy& policy, I first, I last, O out, T init, Op& op, F& value_of) {
  const auto write = [&](std::optional<T>& before, I it, I end, O o) {
    T sum = *std::move(before);
    for (; it != end; ++it, ++o) {
      T next = static_cast<T>(op(sum, value_of(*it))); // read before it is written: the output may be the input
      *o = std::move(sum);
      sum = std::move(next);
    }
    before = std::move(sum);
    return o;
  };
  return scan_parts<T>(policy, std::optional<T>(std::move(init)), write, adding_scan<T>(op, value_of), op, first, last,
                       out);
}

template <class F, class I>
using mapped_value = std::remove_cvref_t<std::invoke_result_t<F&, std::iter_reference_t<I>>>;

template <class Op, class T>
concept associative_on =
    std::move_constructible<T> && std::invocable<Op&, T, T> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>;

} // namespace detail

/// out[i] = the sum of f(first[0]) ... f(first[i]) by op, which has to be associative and need not commute: floating-
/// point results may be rounded differently from run to run. `out` may be `first`. Returns the end of the output. f is
/// called up to twice per element, op about as often.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class Op, class F>
  requires std::invocable<F&, std::iter_reference_t<I>> && detail::associative_on<Op, detail::mapped_value<F, I>>
auto transform_inclusive_scan(const Policy& policy, I first, I last, O out, Op&& op, F&& f) {
  using T = detail::mapped_value<F, I>;
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& add, auto& value_of) {
        return detail::inclusive_scan<T>(how, from, to, target, add, value_of, std::optional<T>());
      },
      first, last, out, std::forward<Op>(op), std::forward<F>(f));
}
/// With init before the first element.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class Op, class F,
          class T>
  requires std::invocable<F&, std::iter_reference_t<I>> && detail::associative_on<Op, T>
auto transform_inclusive_scan(const Policy& policy, I first, I last, O out, Op&& op, F&& f, T init) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, auto& add, auto& value_of, T& start) {
        return detail::inclusive_scan<T>(how, from, to, target, add, value_of, std::optional<T>(std::move(start)));
      },
      first, last, out, std::forward<Op>(op), std::forward<F>(f), std::move(init));
}
/// out[i] = the sum of init and f(first[0]) ... f(first[i - 1]).
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class T, class Op,
          class F>
  requires std::invocable<F&, std::iter_reference_t<I>> && detail::associative_on<Op, T>
auto transform_exclusive_scan(const Policy& policy, I first, I last, O out, T init, Op&& op, F&& f) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, O target, T& start, auto& add, auto& value_of) {
        return detail::exclusive_scan<T>(how, from, to, target, std::move(start), add, value_of);
      },
      first, last, out, std::move(init), std::forward<Op>(op), std::forward<F>(f));
}

/// The same without f. `init` comes after op here.
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O,
          class Op = detail::plus, class... Init>
  requires(sizeof...(Init) <= 1)
auto inclusive_scan(const Policy& policy, I first, I last, O out, Op&& op = {}, Init... init) {
  return treadle::transform_inclusive_scan(policy, first, last, out, std::forward<Op>(op), detail::unchanged{},
                                           std::move(init)...);
}
template <any_execution_policy Policy, std::forward_iterator I, std::input_or_output_iterator O, class T,
          class Op = detail::plus>
auto exclusive_scan(const Policy& policy, I first, I last, O out, T init, Op&& op = {}) {
  return treadle::transform_exclusive_scan(policy, first, last, out, std::move(init), std::forward<Op>(op),
                                           detail::unchanged{});
}

template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O,
          class Op = detail::plus, class... Init>
  requires(sizeof...(Init) <= 1)
auto inclusive_scan(const Policy& policy, R&& range, O out, Op&& op = {}, Init... init) {
  return treadle::inclusive_scan(policy, std::ranges::begin(range), detail::last_of(range), out, std::forward<Op>(op),
                                 std::move(init)...);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class T,
          class Op = detail::plus>
auto exclusive_scan(const Policy& policy, R&& range, O out, T init, Op&& op = {}) {
  return treadle::exclusive_scan(policy, std::ranges::begin(range), detail::last_of(range), out, std::move(init),
                                 std::forward<Op>(op));
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class Op, class F,
          class... Init>
  requires(sizeof...(Init) <= 1)
auto transform_inclusive_scan(const Policy& policy, R&& range, O out, Op&& op, F&& f, Init... init) {
  return treadle::transform_inclusive_scan(policy, std::ranges::begin(range), detail::last_of(range), out,
                                           std::forward<Op>(op), std::forward<F>(f), std::move(init)...);
}
template <any_execution_policy Policy, detail::range_for<Policy> R, std::input_or_output_iterator O, class T, class Op,
          class F>
auto transform_exclusive_scan(const Policy& policy, R&& range, O out, T init, Op&& op, F&& f) {
  return treadle::transform_exclusive_scan(policy, std::ranges::begin(range), detail::last_of(range), out,
                                           std::move(init), std::forward<Op>(op), std::forward<F>(f));
}

} // namespace treadle
