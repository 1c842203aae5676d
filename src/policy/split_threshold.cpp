#include "policy/split_threshold.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::policies {

/// The old choices do as long as each is one and divides the parts as finely as new ones would, with some slack: a part
/// that takes a little more or less is no news.
bool split_threshold::are_choices_for(const std::vector<double>& rising) const {
  if (m_levels.empty()) return false;
  const auto lowest = std::lower_bound(rising.begin(), rising.end(), m_cost.brief_ns() * k_slack);
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
std::vector<double> split_threshold::choices_for(const std::vector<double>& rising) const {
  std::vector<double> levels;
  double first = 0, before = 0; // of this octave; the part below
  for (const double ns : rising) {
    if (first == 0 || ns >= first * k_octave) {
      levels.push_back(std::max(std::sqrt(before * ns), ns / k_octave));
      first = ns;
    }
    before = ns;
  }
  levels.push_back(std::max(before * k_octave, m_cost.fitting_ns() / 2));
  return levels;
}

void split_threshold::parts(std::vector<double>& work_ns) {
  const auto remove_below = [&](double least) { std::erase_if(work_ns, [=](double ns) { return !(ns >= least); }); };
  remove_below(m_cost.brief_ns() / k_slack);
  std::sort(work_ns.begin(), work_ns.end());
  if (are_choices_for(work_ns)) return;
  remove_below(m_cost.brief_ns()); // for no idle worker's sake
  if (m_search && m_search->best() != m_start) m_found_ns = m_levels[m_search->best()];
  m_levels = choices_for(work_ns);
  m_start = m_present = start_for(work_ns);
  m_search.reset();
  auto how = pairwise();
  how.settling = 1;
  how.credit = 0; // there may be few windows, and a part too many costs more than all else in them
  if (tries())
    m_search.emplace(tune::space({tune::dimension{static_cast<std::uint32_t>(m_levels.size())}}), m_start, how);
  if (m_search) m_present = m_search->next(false);
  choose();
}

/// The choice that splits what the one that was found would. Without one: what the cost suggests.
tune::arm split_threshold::start_for(const std::vector<double>& rising) const noexcept {
  const auto at = [&](auto level) { return static_cast<tune::arm>(level - m_levels.begin()); };
  const auto last = m_levels.end() - 1;
  if (!m_found_ns) {
    const double suggested_ns = m_cost.fitting_ns() / 2 / std::sqrt(k_octave);
    return at(std::lower_bound(m_levels.begin(), last, suggested_ns));
  }
  const auto least = std::lower_bound(rising.begin(), rising.end(), *m_found_ns);
  return at(least == rising.end() ? last : std::upper_bound(m_levels.begin(), last, *least) - 1);
}

void split_threshold::use(spawn_cost cost) {
  if (cost == m_cost) return;
  m_cost = cost;
  m_levels.clear(); // the next parts() begins anew
  m_found_ns.reset();
  m_search.reset();
  choose();
}

void split_threshold::begin_loop() {
  if (m_search) m_search->reopen();
}

void split_threshold::period(double iterations, double ns) {
  if (!m_search) return;
  m_search->report(m_present, ns / iterations, iterations); // void when it was settled meanwhile
  m_measured_ns += ns;
  m_present = m_search->next(m_measured_ns > k_first_try_ns);
  choose();
}

void split_threshold::settle() noexcept {
  if (!m_search) return;
  if (m_search->is_trying()) m_search->interrupt(); // and begins again with letting it settle
  m_present = m_search->best();
  choose();
}

void split_threshold::choose() noexcept {
  m_threshold_ns = m_cost.workers < 2 ? k_infinity
                   : m_levels.empty() ? m_cost.fitting_ns() / 2 // nothing is known of the parts
                                      : m_levels[m_present];
}

} // namespace treadle::policies
