#include "decide/paper_grain.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {

void grain_window::add(const grain_window& more) noexcept {
  units += more.units;
  tasks += more.tasks;
  executing_ns += more.executing_ns;
  overall_ns += more.overall_ns;
  looks += more.looks;
  workers = more.workers;
}

std::vector<double> doubled_grains(double smallest, double largest) {
  std::vector<double> found;
  for (double grain = smallest; grain < largest; grain *= 2) found.push_back(grain);
  found.push_back(largest);
  return found;
}

void idle_rate_rule::report(const grain_window& w) noexcept {
  if (m_settled || !(w.idle_rate() >= 0)) return;
  if (w.idle_rate() <= m_tolerated || m_grain >= m_largest)
    m_settled = true;
  else
    m_grain = std::min(m_grain * 2, m_largest);
}

void costs_rule::report(const grain_window& w) {
  if (settled() || !std::isfinite(w.task_ns()) || !std::isfinite(w.overall_ns)) return;
  if (calibrates()) {
    m_alone_ns.push_back(w.task_ns());
    m_at = calibrates() ? m_alone_ns.size() : 0;
    return;
  }
  // One worker does not wait: that the same tasks take another time is chance.
  const double wait_ns = w.workers > 1 ? w.wait_ns(m_alone_ns[m_at]) : 0;
  // The work is that of the tasks, which may belong to steps that have not ended.
  m_costs.push_back((w.management_ns() + wait_ns) / (w.tasks * next()));
  const auto least = std::min_element(m_costs.begin(), m_costs.end());
  m_at = settled() ? static_cast<std::size_t>(least - m_costs.begin()) : m_costs.size();
}

} // namespace treadle::decide
