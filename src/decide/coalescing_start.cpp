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
  m_window.destinations = std::max(m_window.destinations, s.destinations);
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
  const auto known = [&](tune::arm at) {
    return std::find_if(m_measured.begin(), m_measured.end(), [at](const point& one) { return one.at == at; });
  };
  const auto unless_known = [&](tune::arm to) {
    return known(to) == m_measured.end() ? std::optional(to) : std::nullopt;
  };
  const auto wait_ns = [&](const point& one) { return m_choices.settings(one.at).hold_ns; };
  const point& first = m_measured.front();
  if (m_measured.size() == 1) return unless_known(m_choices.gathers_for(k_first_wait_ns));
  const point& last = *known(m_at);
  const bool waits_longest = std::all_of(m_measured.begin(), m_measured.end(), [&](const point& one) {
    return one.at == last.at || wait_ns(one) < wait_ns(last);
  });
  if (waits_longest && 2 * last.messages > first.messages && last.parcel_ns <= 2 * first.parcel_ns &&
      wait_ns(last) < m_choices.longest_wait_ns())
    return unless_known(m_choices.gathers_for(k_longer * wait_ns(last)));
  const point& fewest = *std::min_element(m_measured.begin(), m_measured.end(),
                                          [](const point& a, const point& b) { return a.messages < b.messages; });
  const double fewer = first.messages - fewest.messages, gained_ns = first.parcel_ns - fewest.parcel_ns;
  if (fewer <= 0) return {};
  if (gained_ns <= 0) {
    const point& again = fewest.windows <= first.windows ? fewest : first;
    return again.windows < k_most_of_one ? std::optional(again.at) : std::nullopt;
  }
  const double message_ns = gained_ns / fewer;
  const double rest_ns = std::max(fewest.parcel_ns - message_ns * fewest.messages, fewest.parcel_ns / 100);
  return unless_known(m_choices.least_felt(message_ns, rest_ns, window.bytes / window.parcels, window.destinations));
}

std::vector<tuned_point> coalescing_start::measured() const {
  std::vector<tuned_point> all;
  for (const point& one : m_measured) all.push_back({one.at, std::log(one.parcel_ns), 0, 1, {}});
  return all;
}

} // namespace treadle::decide
