#include "decide/split_threshold.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {

/// The old choices do as long as each is one and divides the parts as finely as new ones would, with some slack: a part
/// that takes a little more or less is no news.
bool split_thresholds::are_choices_for(const std::vector<double>& rising) const {
  if (m_levels.empty()) return false;
  const auto lowest = std::lower_bound(rising.begin(), rising.end(), m_task.brief_ns() * k_slack);
  if (lowest != rising.end() && *lowest < m_levels.front() / k_slack) return false;
  if (!rising.empty() && rising.back() >= m_levels.back()) return false;
  for (std::size_t i = 0; i + 1 < m_levels.size(); ++i) {
    const auto from = std::lower_bound(rising.begin(), rising.end(), m_levels[i]),
               to = std::lower_bound(from, rising.end(), m_levels[i + 1]);
    if (from != to && *(to - 1) > *from * k_octave * k_slack * k_slack) return false;
    const auto about = std::lower_bound(rising.begin(), rising.end(), m_levels[i] / k_slack);
    if (about == rising.end() || *about > m_levels[i + 1] * k_slack) return false;
  }
  return true;
}

/// A choice for each octave of parts, as far from those below as can be: what takes a little less than usual once is
/// still meant. The last is above all of them, but not for ever: what has not been seen may be worth it.
std::vector<double> split_thresholds::choices_for(const std::vector<double>& rising) const {
  std::vector<double> levels;
  double first = 0, before = 0; // of this octave; the part below
  for (const double ns : rising) {
    if (first == 0 || ns >= first * k_octave) {
      levels.push_back(std::max(std::sqrt(before * ns), ns / k_octave));
      first = ns;
    }
    before = ns;
  }
  levels.push_back(std::max(before * k_octave, m_task.fitting_ns() / 2));
  return levels;
}

bool split_thresholds::update(std::vector<double>& work_ns, std::optional<double> found_ns) {
  const auto remove_below = [&](double least) { std::erase_if(work_ns, [=](double ns) { return !(ns >= least); }); };
  remove_below(m_task.brief_ns() / k_slack);
  std::sort(work_ns.begin(), work_ns.end());
  if (are_choices_for(work_ns)) return false;
  remove_below(m_task.brief_ns()); // for no idle worker's sake
  m_levels = choices_for(work_ns);
  m_start = start_for(work_ns, found_ns);
  return true;
}

/// The choice that splits what the one that was found would. Without one: what the cost suggests.
std::size_t split_thresholds::start_for(const std::vector<double>& rising,
                                        std::optional<double> found_ns) const noexcept {
  const auto at = [&](auto level) { return static_cast<std::size_t>(level - m_levels.begin()); };
  const auto last = m_levels.end() - 1;
  if (!found_ns) {
    const double suggested_ns = m_task.fitting_ns() / 2 / std::sqrt(k_octave);
    return at(std::lower_bound(m_levels.begin(), last, suggested_ns));
  }
  const auto least = std::lower_bound(rising.begin(), rising.end(), *found_ns);
  return at(least == rising.end() ? last : std::upper_bound(m_levels.begin(), last, *least) - 1);
}

double split_thresholds::ns(std::size_t choice) const noexcept {
  if (m_task.workers < 2) return std::numeric_limits<double>::infinity();
  return m_levels.empty() ? m_task.fitting_ns() / 2 : m_levels[choice];
}

} // namespace treadle::decide
