#pragma once

#include <treadle/algorithm/detail/merge_sort.hpp>
#include <treadle/algorithm/sort.hpp>

namespace treadle {

namespace detail {

struct stable_sort_algorithm {
  template <class Policy, class It, class Compare>
  void operator()(const Policy& policy, It first, It last, Compare& compare) const {
    using value_type = std::iter_value_t<It>;
    if constexpr (!is_relocatable<It>) {
      std::stable_sort(first, last, [&](const auto& a, const auto& b) { return compare(a, b); });
    } else if constexpr (orders_numbers<It, Compare> && std::is_integral_v<value_type>) {
      sort_algorithm()(policy, first, last, compare); // nobody can tell equal integers apart
    } else {
      const auto sort_all = [&](bool parallel) {
        auto&& less = stoppable_order(policy, compare);
        merge_sort<decltype(to_plain(first)), std::remove_reference_t<decltype(less)>>(less, parallel)
            .sort(to_plain(first), to_plain(last));
      };
      if (Policy::is_parallel && last - first > any_kernel::k_fork_grain)
        call_on_worker([&] { sort_all(true); });
      else
        sort_all(false);
    }
  }
};

} // namespace detail

/// Sorts [first, last); equal elements keep their order. Allocates memory for as many elements, and throws
/// std::bad_alloc before anything is changed.
///
/// `compare` is called by several workers at the same time. When it throws, the exception is rethrown and the range
/// holds all its elements in some order; the same is the result when it is not a strict weak order, and when a stop is
/// requested, which is looked for as by sort(). O(n log n) comparisons, n - 1 when the range is sorted. Elements whose
/// move constructor may throw are sorted by std::stable_sort, by one worker, which sees a stop only at its beginning.
template <any_execution_policy Policy, std::random_access_iterator It, class Compare = std::less<>>
auto stable_sort(const Policy& policy, It first, std::type_identity_t<It> last, Compare compare = {}) {
  return detail::run_algorithm(policy, detail::stable_sort_algorithm{}, first, last, std::move(compare));
}
template <any_execution_policy Policy, detail::lasting_random_access Range, detail::orders<Range> Compare = std::less<>>
auto stable_sort(const Policy& policy, Range&& range, Compare compare = {}) {
  return treadle::stable_sort(policy, std::ranges::begin(range), detail::last_of(range), std::move(compare));
}

} // namespace treadle
