#include "policy/split_threshold.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::policies {

void split_threshold::parts(std::span<const double> work_ns) {
  std::vector<double> levels;
  for (const double ns : work_ns) {
    if (!(ns >= m_cost.brief_ns())) continue;                  // for no idle worker's sake
    const double level = std::exp2(std::floor(std::log2(ns))); // splits all parts of this octave
    const auto at = std::lower_bound(levels.begin(), levels.end(), level);
    if (at == levels.end() || *at != level) levels.insert(at, level);
  }
  levels.push_back(std::numeric_limits<double>::infinity());
  if (levels == m_levels) return;
  m_levels = std::move(levels);
  m_search.reset();
  m_sum_ns = m_periods = 0;
  const auto suggested = std::lower_bound(m_levels.begin(), m_levels.end(), m_cost.fitting_ns() / 2);
  if (tries())
    m_search.emplace(tune::space({tune::dimension{static_cast<std::uint32_t>(m_levels.size())}}),
                     static_cast<tune::arm>(suggested - m_levels.begin()), pairwise());
  choose();
}

void split_threshold::use(spawn_cost cost) {
  if (cost == m_cost) return;
  m_cost = cost;
  m_levels.clear(); // the next parts() begins anew
  m_search.reset();
  choose();
}

void split_threshold::period(double ns) {
  if (!m_search) return;
  m_sum_ns += ns;
  ++m_periods;
  if (m_sum_ns < k_window_ns) return;
  m_search->report(m_search->next(), m_sum_ns / m_periods);
  m_sum_ns = m_periods = 0;
  choose();
}

void split_threshold::choose() noexcept {
  m_threshold_ns = m_search ? m_levels[m_search->next()] : std::numeric_limits<double>::infinity();
}

} // namespace treadle::policies
