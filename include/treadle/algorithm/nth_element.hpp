#pragma once

#include <treadle/algorithm/detail/select.hpp>

namespace treadle {

/// Puts into the place `nth` what would be there if [first, last) were sorted, nothing that goes behind it before it,
/// and nothing that goes before it behind it. O(n) comparisons. Exceptions and stops as with
/// sort().
template <any_execution_policy Policy, std::random_access_iterator It, class Compare = std::less<>>
auto nth_element(const Policy& policy, It first, std::type_identity_t<It> nth, std::type_identity_t<It> last,
                 Compare compare = {}) {
  return detail::run_algorithm(policy, detail::nth_element_algorithm{}, first, nth, last, std::move(compare));
}
template <any_execution_policy Policy, detail::lasting_random_access Range, detail::orders<Range> Compare = std::less<>>
auto nth_element(const Policy& policy, Range&& range, std::ranges::iterator_t<Range> nth, Compare compare = {}) {
  return treadle::nth_element(policy, std::ranges::begin(range), nth, detail::last_of(range), std::move(compare));
}

} // namespace treadle
