#include "decide/coalescing_start.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treadle::decide {

void coalescing_start::add(const spell& s) {
  m_window.parcels += s.parcels;
  m_window.messages += s.messages;
  m_window.bytes += s.bytes;
  m_window.ns += s.ns;
  if (m_window.ns >= std::max(k_window_ns, k_waits_in_window * hold_ns())) go_on(std::exchange(m_window, {}));
}

void coalescing_start::go_on(const spell& window) {
  measure(window);
  const std::optional<tune::arm> to = next(window);
  m_is_over = !to || ++m_windows == k_most;
  if (to) m_at = *to;
}

void coalescing_start::measure(const spell& window) {
  const point now{m_at, window.ns / window.parcels, window.messages / window.parcels, 1};
  const auto found =
      std::find_if(m_measured.begin(), m_measured.end(), [&](const point& one) { return one.at == m_at; });
  if (found == m_measured.end()) return m_measured.push_back(now);
  const unsigned windows = found->windows + 1;
  if (now.parcel_ns < found->parcel_ns) *found = now;
  found->windows = windows;
}

/// None: all that is worth it has been measured.
std::optional<tune::arm> coalescing_start::next(const spell& window) const {
  const auto unless_known = [&](tune::arm to) {
    const bool is_known =
        std::any_of(m_measured.begin(), m_measured.end(), [to](const point& one) { return one.at == to; });
    return is_known ? std::nullopt : std::optional(to);
  };
  const point& first = m_measured.front();
  const point& fewest = *std::min_element(m_measured.begin(), m_measured.end(),
                                          [](const point& a, const point& b) { return a.messages < b.messages; });
  if (m_measured.size() == 1) return unless_known(m_choices.gathers_for(k_first_wait_ns));
  const std::int64_t wait_ns = m_choices.settings(fewest.at).hold_ns;
  const bool is_new = fewest.at == m_at && fewest.windows == 1, takes_longer = fewest.parcel_ns > 2 * first.parcel_ns;
  if (is_new && !takes_longer && 2 * fewest.messages > first.messages && wait_ns < m_choices.longest_wait_ns())
    return unless_known(m_choices.gathers_for(k_longer * wait_ns));
  const double fewer = first.messages - fewest.messages, gained_ns = first.parcel_ns - fewest.parcel_ns;
  if (fewer <= 0) return {};
  if (gained_ns <= 0) {
    const point& again = fewest.windows <= first.windows ? fewest : first;
    return again.windows < k_most_of_one ? std::optional(again.at) : std::nullopt;
  }
  const double message_ns = gained_ns / fewer;
  const double rest_ns = std::max(fewest.parcel_ns - message_ns * fewest.messages, fewest.parcel_ns / 100);
  // In a wait come the parcels of a message, times the destinations.
  const double destinations = static_cast<double>(wait_ns) * fewest.messages / fewest.parcel_ns;
  return unless_known(
      m_choices.least_felt(message_ns, rest_ns, window.bytes / window.parcels, std::max(destinations, 1.0)));
}

std::vector<tuned_point> coalescing_start::measured() const {
  std::vector<tuned_point> all;
  for (const point& one : m_measured) all.push_back({one.at, std::log(one.parcel_ns), 0, 1, {}});
  return all;
}

} // namespace treadle::decide
