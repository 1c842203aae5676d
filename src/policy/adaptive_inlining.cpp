#include "policy/adaptive_inlining.hpp"

#include <algorithm>

namespace treadle::policies {

void adaptive_inlining::sample(double ns, bool blocked) noexcept {
  m_blocked += ((blocked ? 1 : 0) - m_blocked) / std::min(m_samples + 1, 8u);
  // The plain mean of the first samples, then an exponential one that follows changes. A sample far out, as one in
  // which the thread was preempted, counts as four times the mean.
  const double bounded = m_samples < k_samples ? ns : std::min(ns, 4 * m_mean_ns + m_cost.ns);
  m_mean_ns += (bounded - m_mean_ns) / std::min(m_samples + 1, 8u);
  ++m_samples;
  decide();
}

void adaptive_inlining::use(spawn_cost cost) {
  if (cost == m_cost) return;
  m_cost = cost;
  if (m_search) m_search->reopen();
  decide();
}

void adaptive_inlining::decide() {
  m_case = m_samples < k_samples               ? situation::unknown
           : m_blocked > k_blocking            ? situation::blocks
           : m_cost.workers < 2                ? situation::alone
           : m_mean_ns < m_cost.brief_ns()     ? situation::brief
           : m_mean_ns > k_lengthy * m_cost.ns ? situation::lengthy
                                               : situation::uncertain;
  if (m_case == situation::uncertain) {
    if (!m_search) {
      const bool suggested = m_mean_ns < m_cost.fitting_ns();
      m_search.emplace(tune::space({{2, false}}), suggested ? 1 : 0, pairwise());
      m_inlined = m_search->next() == 1;
    }
    return;
  }
  m_inlined = m_case == situation::alone || m_case == situation::brief;
}

void adaptive_inlining::period(double calls, double ns) {
  if (m_case != situation::uncertain) return;
  m_search->report(m_inlined ? 1 : 0, ns / calls, calls);
  m_inlined = m_search->next() == 1;
}

std::string adaptive_inlining::why() const {
  const auto in_ns = [](double ns) { return std::to_string(static_cast<long>(ns + 0.5)) + " ns"; };
  const std::string costs = in_ns(m_mean_ns) + ", and a task costs " + in_ns(m_cost.ns);
  switch (m_case) {
  case situation::unknown:
    return "not measured often enough";
  case situation::blocks:
    return "it waits: its creator goes on meanwhile";
  case situation::alone:
    return "there is one worker";
  case situation::brief:
    return "short: " + costs;
  case situation::lengthy:
    return "long: " + costs;
  case situation::uncertain:
    break;
  }
  if (m_search->windows() == 0) return "by its cost, not tried yet: " + costs;
  return "tried: " + costs;
}

} // namespace treadle::policies
