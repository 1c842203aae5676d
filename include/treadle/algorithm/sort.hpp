#pragma once

#include <treadle/algorithm/detail/select.hpp>

namespace treadle {

namespace detail {

struct sort_algorithm {
  template <class Policy, class It, class Compare>
  void operator()(const Policy& policy, It first, It last, Compare& compare) const {
    using value_type = std::iter_value_t<It>;
    const auto sort_all = [&](bool parallel) {
      if constexpr (orders_numbers<It, Compare>) {
        sort_numbers<value_type, number_order<Compare, value_type>>(to_plain(first), to_plain(last), parallel,
                                                                    policy.cut());
      } else {
        auto&& less = stoppable_order(policy, compare);
        quicksort<any_kernel, decltype(to_plain(first)), std::remove_reference_t<decltype(less)>>(less, parallel)
            .sort(to_plain(first), to_plain(last));
      }
    };
    constexpr auto k_one_piece = orders_numbers<It, Compare> ? k_undivided_numbers : any_kernel::k_fork_grain;
    if (Policy::is_parallel && has_real_elements<It> && last - first > k_one_piece)
      call_on_worker([&] { sort_all(true); });
    else
      sort_all(false);
  }
};

struct partial_sort_algorithm {
  template <class Policy, class It, class Compare>
  void operator()(const Policy& policy, It first, It middle, It last, Compare& compare) const {
    nth_element_algorithm()(policy, first, middle, last, compare);
    sort_algorithm()(policy, first, middle, compare);
  }
};

} // namespace detail

/// Sorts [first, last). Not stable. Policies as everywhere; their chunk parameters mean nothing here.
///
/// `compare` is called by several workers at the same time. When it throws, the exception is rethrown and the range
/// holds all its elements in some order; the same is the result when it is not a strict weak order (or a number is
/// NaN). O(n log n) comparisons whatever the input; ordered input in either direction takes n.
///
/// When a stop is requested, which is looked for before each comparison, and of numbers before each pass over at most
/// 65 536 of them, the range holds all its elements in some order, too.
template <any_execution_policy Policy, std::random_access_iterator It, class Compare = std::less<>>
auto sort(const Policy& policy, It first, std::type_identity_t<It> last, Compare compare = {}) {
  return detail::run_algorithm(policy, detail::sort_algorithm{}, first, last, std::move(compare));
}
template <any_execution_policy Policy, detail::lasting_random_access Range, detail::orders<Range> Compare = std::less<>>
auto sort(const Policy& policy, Range&& range, Compare compare = {}) {
  return treadle::sort(policy, std::ranges::begin(range), detail::last_of(range), std::move(compare));
}

/// Sorts what belongs into [first, middle), and leaves the rest behind it in any order. Exceptions and stops as with
/// sort().
template <any_execution_policy Policy, std::random_access_iterator It, class Compare = std::less<>>
auto partial_sort(const Policy& policy, It first, std::type_identity_t<It> middle, std::type_identity_t<It> last,
                  Compare compare = {}) {
  return detail::run_algorithm(policy, detail::partial_sort_algorithm{}, first, middle, last, std::move(compare));
}
template <any_execution_policy Policy, detail::lasting_random_access Range, detail::orders<Range> Compare = std::less<>>
auto partial_sort(const Policy& policy, Range&& range, std::ranges::iterator_t<Range> middle, Compare compare = {}) {
  return treadle::partial_sort(policy, std::ranges::begin(range), middle, detail::last_of(range), std::move(compare));
}

} // namespace treadle
