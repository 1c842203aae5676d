#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>
#include <treadle/parallel_invoke.hpp>
#include <treadle/stopped.hpp>

#include <algorithm>
#include <set> // std::less and std::greater, for less than <functional> costs to compile

namespace treadle::detail {

template <class T, class... Choices>
inline constexpr bool is_one_of = (std::is_same_v<T, Choices> || ...);

__extension__ using uint128 = unsigned __int128;

/// Types for which the library holds compiled sorting code.
template <class T>
inline constexpr bool is_number = is_one_of<T, char, signed char, unsigned char, short, unsigned short, int, unsigned,
                                            long, unsigned long, long long, unsigned long long, float, double, uint128>;

template <class Compare, class T>
inline constexpr bool is_ascending = is_one_of<Compare, std::less<>, std::less<T>, std::ranges::less>;
template <class Compare, class T>
inline constexpr bool is_descending = is_one_of<Compare, std::greater<>, std::greater<T>, std::ranges::greater>;

/// Numbers in a row and their own order, or its opposite.
template <class It, class Compare, class T = std::iter_value_t<It>>
inline constexpr bool orders_numbers =
    std::contiguous_iterator<It> && is_number<T> && (is_ascending<Compare, T> || is_descending<Compare, T>);

template <class Compare, class T>
using number_order = std::conditional_t<is_ascending<Compare, T>, std::less<T>, std::greater<T>>;

/// An order that throws treadle::stopped once a stop is requested. What stands an exception of any comparison, with all
/// elements in the range afterwards, and begins each of its parts with a comparison, needs no other look.
template <class Compare, class Token>
struct stopping_order {
  Compare& compare;
  const Token& token;

  template <class A, class B>
  bool operator()(A&& a, B&& b) const {
    look();
    return compare(std::forward<A>(a), std::forward<B>(b));
  }
  void look() const {
    if (TREADLE_UNLIKELY(token.stop_requested())) throw stopped();
  }
};

/// For what divides its work before it compares: without it each of the last parts would throw for itself after a stop.
template <class Compare>
void look_for_stop(const Compare& /*cannot be stopped*/) noexcept {}
template <class Compare, class Token>
void look_for_stop(const stopping_order<Compare, Token>& order) {
  order.look();
}

/// `compare` itself when the policy has no token.
template <class Policy, class Compare>
constexpr decltype(auto) stoppable_order(const Policy& policy, Compare& compare) noexcept {
  if constexpr (Policy::has_stop_token)
    return stopping_order<Compare, std::remove_cvref_t<decltype(policy.stop_token())>>{compare, policy.stop_token()};
  else
    return (compare);
}

/// Elements so cheap to copy that moving one needlessly costs less than a mispredicted branch.
template <class T>
inline constexpr bool is_cheap_to_move =
    std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 4 * sizeof(void*);

/// Elements that are objects of their own, so that several workers can write neighbours (not those of vector<bool>).
template <class It>
inline constexpr bool has_real_elements = std::is_lvalue_reference_v<std::iter_reference_t<It>>;

template <class Compare, class Range>
concept orders = std::predicate<Compare&, std::ranges::range_reference_t<Range>, std::ranges::range_reference_t<Range>>;

template <class R>
concept lasting_random_access = lasting<R> && std::random_access_iterator<iterator_of<R>>;

/// One instantiation for all contiguous iterators of a type.
template <class It>
constexpr auto to_plain(It it) {
  if constexpr (std::contiguous_iterator<It>)
    return std::to_address(it);
  else
    return it;
}

/// Calls f() here when this is a worker, else on one.
template <class F>
void call_on_worker(F&& f) {
  using function_type = std::remove_reference_t<F>;
  if (this_task_stack()) return f();
  run_on_worker([](void* function) { (*static_cast<function_type*>(function))(); }, __builtin_addressof(f));
}

/// Whether some worker looks for work. What is cheaper in one piece is divided only then.
inline bool somebody_is_hungry() noexcept {
  const task_stack* current = this_task_stack();
  return current && current->hungry->load(order::relaxed) != 0;
}

/// Loops for pieces of work that are large enough to be shared one by one.
inline constexpr auto k_by_pieces = par.with(dynamic_chunk_size{1});

/// Calls both, in parallel if asked to and when somebody has time. Both run, also when one throws.
template <class F, class G>
void fork(bool parallel, F&& f, G&& g) {
  if (parallel) return treadle::parallel_invoke(f, g);
  try {
    f();
  } catch (...) {
    try {
      g();
    } catch (...) { // the first one counts
    }
    throw;
  }
  g();
}

/// True when related(x, y) for all neighbours. Gives up at the first pair for which it is not. Calls look(), which may
/// throw, before each few thousand pairs.
template <class It, class Related, class Look>
bool all_neighbours(bool parallel, It first, It last, Related related, Look look) {
  constexpr std::uint64_t k_glance = 64, k_piece = k_glance * k_glance;
  const auto holds = [&](std::uint64_t begin, std::uint64_t end) {
    while (begin != end) {
      look();
      const std::uint64_t piece_end = std::min(end, begin + k_piece);
      const It stop = first + static_cast<std::ptrdiff_t>(piece_end);
      for (It it = first + static_cast<std::ptrdiff_t>(begin); it != stop; ++it) {
        if (!related(*it, *(it + 1))) return false;
      }
      begin = piece_end;
    }
    return true;
  };
  const auto pairs = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(last - first - 1, 0));
  if (!parallel || pairs <= k_glance) return holds(0, pairs);
  if (!holds(0, k_glance)) return false;
  atomic<bool> all{true};
  for_ranges(par.with(dynamic_chunk_size{k_piece}), pairs, [&](std::uint64_t begin, std::uint64_t end) {
    const bool here = holds(begin, end);
    if (!here) all.store(false, order::relaxed); // read after the loop, whose end orders it
    return here;
  });
  return all.load(order::relaxed);
}

template <class It, class Related>
bool all_neighbours(bool parallel, It first, It last, Related related) {
  return all_neighbours(parallel, first, last, related, [] {});
}

template <class It>
void reverse_elements(bool parallel, It first, It last) {
  const auto swap_pairs = [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = static_cast<std::ptrdiff_t>(begin); i != static_cast<std::ptrdiff_t>(end); ++i)
      std::iter_swap(first + i, last - 1 - i);
  };
  const auto pairs = static_cast<std::uint64_t>((last - first) / 2);
  if (parallel)
    for_ranges(par.with(dynamic_chunk_size{4096}), pairs, swap_pairs);
  else
    swap_pairs(0, pairs);
}

} // namespace treadle::detail
