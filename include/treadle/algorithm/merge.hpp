#pragma once

#include <treadle/algorithm/detail/parallel_merge.hpp>

namespace treadle {

namespace detail {

template <class A, class B, class Out, class Compare>
void merge_copying(A a, A a_end, B b, B b_end, Out out, Compare& compare) {
  const std::ptrdiff_t size = (a_end - a) + (b_end - b);
  if (size <= k_merge_grain) {
    std::merge(a, a_end, b, b_end, out, [&](const auto& x, const auto& y) { return compare(x, y); });
    return;
  }
  const std::ptrdiff_t half = size / 2, from_a = co_rank(half, a, a_end - a, b, b_end - b, compare);
  treadle::parallel_invoke([&] { merge_copying(a, a + from_a, b, b + (half - from_a), out, compare); },
                           [&] { merge_copying(a + from_a, a_end, b + (half - from_a), b_end, out + half, compare); });
}

struct merge_algorithm {
  template <class Policy, class A, class B, class Out, class Compare>
  Out operator()(const Policy& policy, A a, A a_end, B b, B b_end, Out out, Compare& compare) const {
    auto&& less = stoppable_order(policy, compare);
    if constexpr (Policy::is_parallel && std::random_access_iterator<A> && std::random_access_iterator<B> &&
                  std::random_access_iterator<Out> && has_real_elements<Out>) {
      const std::ptrdiff_t size = (a_end - a) + (b_end - b);
      if (size > k_merge_grain) {
        call_on_worker(
            [&] { merge_copying(to_plain(a), to_plain(a_end), to_plain(b), to_plain(b_end), to_plain(out), less); });
        return out + size;
      }
    }
    return std::merge(a, a_end, b, b_end, out, [&](const auto& x, const auto& y) { return less(x, y); });
  }
};

struct inplace_merge_algorithm {
  template <class Policy, class It, class Compare>
  void operator()(const Policy& policy, It first, It middle, It last, Compare& compare) const {
    if constexpr (!is_relocatable<It>) {
      std::inplace_merge(first, middle, last, [&](const auto& x, const auto& y) { return compare(x, y); });
    } else {
      auto&& order = stoppable_order(policy, compare);
      const auto less = [&](const auto& x, const auto& y) { return order(x, y); };
      if (first == middle || middle == last) return;
      // What is in its place already at both ends stays there.
      first = std::upper_bound(first, middle, *middle, less);
      if (first == middle) return;
      last = std::lower_bound(middle, last, *(middle - 1), less);
      const auto merge_all = [&](bool parallel) {
        merge_in_place(parallel, to_plain(first), middle - first, last - first, order);
      };
      if (Policy::is_parallel && last - first > k_merge_grain)
        call_on_worker([&] { merge_all(true); });
      else
        merge_all(false);
    }
  }

 private:
  template <class It, class Compare>
  static void merge_in_place(bool parallel, It first, std::ptrdiff_t middle, std::ptrdiff_t size, Compare& compare) {
    using value_type = std::iter_value_t<It>;
    const raw_memory<value_type> buffer(size);
    value_type* const data = buffer.data();
    const auto move_out = [&](std::uint64_t begin, std::uint64_t end) {
      relocate(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
               data + static_cast<std::ptrdiff_t>(begin));
    };
    if (parallel)
      for_ranges(par.with(dynamic_chunk_size{k_merge_grain}), static_cast<std::uint64_t>(size), move_out);
    else
      move_out(0, static_cast<std::uint64_t>(size));
    merge_relocating(parallel, data, data + middle, data + middle, data + size, first, compare);
  }
};

} // namespace detail

/// Copies the elements of two sorted ranges to `out` in sorted order; of equal ones those of the first range come
/// before those of the second. Returns the end of what was written. Parallel when all three are random-access
/// iterators. When `compare`, which several workers call at the same time, throws, the exception is rethrown and what
/// was written is unspecified; so it is when a stop is requested, which is looked for before each comparison. The two
/// ranges are only read.
template <any_execution_policy Policy, std::input_iterator A, std::input_iterator B, class Out,
          class Compare = std::less<>>
auto merge(const Policy& policy, A a, std::type_identity_t<A> a_end, B b, std::type_identity_t<B> b_end, Out out,
           Compare compare = {}) {
  return detail::run_algorithm(policy, detail::merge_algorithm{}, a, a_end, b, b_end, out, std::move(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> A, detail::range_for<Policy> B,
          std::weakly_incrementable Out, class Compare = std::less<>>
auto merge(const Policy& policy, A&& a, B&& b, Out out, Compare compare = {}) {
  return treadle::merge(policy, std::ranges::begin(a), detail::last_of(a), std::ranges::begin(b), detail::last_of(b),
                        out, std::move(compare));
}

/// Merges the sorted ranges [first, middle) and [middle, last) in their place; stable. Allocates memory for as many
/// elements as move, and throws std::bad_alloc before anything is changed. When `compare` throws, the exception is
/// rethrown and the range holds all its elements in some order, as it does when a stop is requested, which is looked
/// for before each comparison. Elements whose move constructor may throw are left to std::inplace_merge, on one worker,
/// which sees a stop only at its beginning.
template <any_execution_policy Policy, std::random_access_iterator It, class Compare = std::less<>>
auto inplace_merge(const Policy& policy, It first, std::type_identity_t<It> middle, std::type_identity_t<It> last,
                   Compare compare = {}) {
  return detail::run_algorithm(policy, detail::inplace_merge_algorithm{}, first, middle, last, std::move(compare));
}
template <any_execution_policy Policy, detail::lasting_random_access Range, detail::orders<Range> Compare = std::less<>>
auto inplace_merge(const Policy& policy, Range&& range, std::ranges::iterator_t<Range> middle, Compare compare = {}) {
  return treadle::inplace_merge(policy, std::ranges::begin(range), middle, detail::last_of(range), std::move(compare));
}

} // namespace treadle
