#pragma once

#include <treadle/algorithm/detail/parallel_range.hpp>

#include <concepts>
#include <iterator>

namespace treadle::detail {

// What all algorithms share: they are loops over sub-ranges, each done by a `leaf`, a plain serial loop over iterators.
// The leaf gets copies of the iterators, so that they are in registers. Where some iterator is not random-access, or
// the policy is seq, the leaf is called once for the whole range, on the calling task.

template <class Policy, class... I>
inline constexpr bool in_parallel = std::remove_cvref_t<Policy>::is_parallel && (std::random_access_iterator<I> && ...);

template <class R>
using iterator_of = decltype(std::ranges::begin(std::declval<R&>()));

template <class R>
concept traversable = std::forward_iterator<iterator_of<R>> && requires(R& r) { std::ranges::end(r); };
/// An lvalue, or a view whose iterators may outlive it.
template <class R>
concept lasting = traversable<R> && requires(R&& r) { std::ranges::begin(static_cast<R&&>(r)); };
/// What an algorithm may be given as a range: an asynchronous one returns before it has used it, so no temporary
/// container.
template <class R, class Policy>
concept range_for = traversable<R> && (lasting<R> || !Policy::is_asynchronous);

template <class F, class... I>
concept unary_predicate = (std::predicate<F&, std::iter_reference_t<I>> && ...);
template <class F, class I, class J = I>
concept binary_predicate = std::predicate<F&, std::iter_reference_t<I>, std::iter_reference_t<J>>;

template <traversable R>
constexpr iterator_of<R> last_of(R& range) {
  return std::ranges::next(std::ranges::begin(range), std::ranges::end(range));
}
template <class I>
constexpr I nth(I first, std::uint64_t i) {
  return first + static_cast<std::iter_difference_t<I>>(i);
}
/// The end of `n` elements; none when n is negative.
template <class I, std::integral Size>
constexpr I last_of(I first, Size n) {
  return n > 0 ? std::ranges::next(first, static_cast<std::iter_difference_t<I>>(n)) : first;
}
template <class I>
constexpr std::uint64_t count_of(I first, I last) {
  return static_cast<std::uint64_t>(last - first);
}

/// How a loop keeps a value that it was given: a scalar in a register; behind a reference the compiler would have to
/// load it again after each store.
template <class T>
using loop_value = std::conditional_t<std::is_scalar_v<T>, const T, const T&>;

struct less {
  constexpr bool operator()(const auto& a, const auto& b) const { return a < b; }
};
struct equal_to {
  constexpr bool operator()(const auto& a, const auto& b) const { return a == b; }
};
struct plus {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) + std::forward<B>(b)) {
    return std::forward<A>(a) + std::forward<B>(b);
  }
};
struct minus {
  constexpr auto operator()(const auto& a, const auto& b) const { return a - b; }
};
struct multiplies {
  constexpr auto operator()(const auto& a, const auto& b) const { return a * b; }
};
struct unchanged {
  template <class T>
  constexpr T&& operator()(T&& value) const noexcept {
    return std::forward<T>(value);
  }
};

/// leaf(first, last) on sub-ranges.
template <class Policy, class Leaf, class I>
void for_parts(const Policy& policy, Leaf leaf, I first, I last) {
  if constexpr (in_parallel<Policy, I>) {
    for_ranges(policy, count_of(first, last),
               [=](std::uint64_t begin, std::uint64_t end) { leaf(nth(first, begin), nth(first, end)); });
  } else {
    leaf(first, last);
  }
}

/// leaf(first, last, out, more...) on sub-ranges and what corresponds to them; it returns its last `out`, and so does
/// this.
template <class Policy, class Leaf, class I, class O, class... More>
O for_parts(const Policy& policy, Leaf leaf, I first, I last, O out, More... more) {
  if constexpr (in_parallel<Policy, I, O, More...>) {
    const std::uint64_t n = count_of(first, last);
    for_ranges(policy, n, [=](std::uint64_t begin, std::uint64_t end) {
      leaf(nth(first, begin), nth(first, end), nth(out, begin), nth(more, begin)...);
    });
    return nth(out, n);
  } else {
    return leaf(first, last, out, more...);
  }
}

/// The first position in [first, last) at which leaf(first, last, more...) finds something in some sub-range: it
/// returns it, or its `last`.
template <class Policy, class Leaf, class I, class... More>
I find_part(const Policy& policy, Leaf leaf, I first, I last, More... more) {
  if constexpr (in_parallel<Policy, I, More...>) {
    const std::uint64_t n = count_of(first, last);
    atomic<std::uint64_t> found{n};
    for_ranges(policy, n, [&](std::uint64_t begin, std::uint64_t end) {
      const I hit = leaf(nth(first, begin), nth(first, end), nth(more, begin)...);
      const std::uint64_t position = count_of(first, hit);
      if (position == end) return true;
      found.lower_to(position, order::relaxed); // only the number is shared, and read after the join
      return false;                             // so the loop leaves out what follows, and does all that comes before
    });
    return nth(first, found.load(order::relaxed));
  } else {
    return leaf(first, last, more...);
  }
}

/// leaf(state, first, last, more...) adds a sub-range to a state, append(left, right) that of the elements that follow;
/// generic if it needs more than forward iterators. The states of other parts start as State{}.
template <class Policy, class State, class Leaf, class Append, class I, class... More>
void fold_parts(const Policy& policy, State& state, Leaf leaf, Append append, I first, I last, More... more) {
  if constexpr (in_parallel<Policy, I, More...>) {
    fold_ranges(
        policy, count_of(first, last), state,
        [=](State& part, std::uint64_t begin, std::uint64_t end) {
          leaf(part, nth(first, begin), nth(first, end), nth(more, begin)...);
        },
        [] { return State{}; }, append);
  } else {
    leaf(state, first, last, more...);
  }
}

} // namespace treadle::detail
