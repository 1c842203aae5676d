#pragma once

#include <treadle/algorithm/detail/quicksort.hpp>
#include <treadle/algorithm/detail/sort_numbers.hpp>

namespace treadle::detail {

/// nth_element, which partial_sort needs, too.
struct nth_element_algorithm {
  template <class Policy, class It, class Compare>
  void operator()(const Policy& policy, It first, It nth, It last, Compare& compare) const {
    using value_type = std::iter_value_t<It>;
    const auto select = [&](bool parallel) {
      if constexpr (orders_numbers<It, Compare>) {
        using natural = number_order<Compare, value_type>;
        select_number<value_type, natural>(to_plain(first), to_plain(nth), to_plain(last), parallel, policy.cut());
      } else {
        auto&& less = stoppable_order(policy, compare);
        quicksort<any_kernel, decltype(to_plain(first)), std::remove_reference_t<decltype(less)>>(less, parallel)
            .select(to_plain(first), to_plain(nth), to_plain(last));
      }
    };
    if (Policy::is_parallel && has_real_elements<It> && last - first > k_parallel_partition)
      call_on_worker([&] { select(true); });
    else
      select(false);
  }
};

} // namespace treadle::detail
