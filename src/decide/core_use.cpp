#include "decide/core_use.hpp"

#include <algorithm>
#include <cstddef>

namespace treadle::decide {

void core_use::observe(unsigned threads, double used) {
  if (threads == 0 || !(used >= 0)) return;
  if (threads >= m_used.size()) m_used.resize(threads + 1, -1);
  double& known = m_used[threads];
  known = known < 0 ? used : (known + used) / 2;
}

void core_use::doubt_more_than(unsigned threads, double used) {
  constexpr double k_nearly_all = 0.9, k_doubt = 0.15;
  if (!(used >= k_nearly_all * threads)) return;
  const double next = 1.5 * threads + 1; // is tried first
  for (std::size_t n = threads + 1; n < m_used.size(); ++n) {
    const double most = std::min(static_cast<double>(n), next);
    if (m_used[n] >= 0 && m_used[n] < most) m_used[n] += k_doubt * (most - m_used[n]);
  }
}

double core_use::expected(unsigned threads) const noexcept {
  const auto seen = [&](std::size_t n) { return n > 0 && n < m_used.size() && m_used[n] >= 0; };
  for (std::size_t away = 0; away <= std::max<std::size_t>(m_used.size(), threads); ++away) {
    // The lower one first: more threads use less each.
    for (const std::size_t n : {threads - away, threads + away})
      if (n <= threads + away && seen(n)) return threads * m_used[n] / static_cast<double>(n);
  }
  return threads; // nothing is known: each uses a core
}

double core_use::at_most(unsigned threads) const noexcept {
  if (threads < m_used.size() && m_used[threads] >= 0) return std::min<double>(m_used[threads], threads);
  double most = threads;
  for (std::size_t n = 1; n < m_used.size(); ++n)
    if (m_used[n] >= 0) most = std::min(most, n > threads ? m_used[n] : threads * m_used[n] / static_cast<double>(n));
  return most;
}

} // namespace treadle::decide
