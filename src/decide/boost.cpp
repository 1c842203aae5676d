#include "decide/boost.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {

unsigned constant_boost(unsigned cores, unsigned more, unsigned most) noexcept {
  return cores == 0 ? 0 : std::min(most, cores + std::min(more, most));
}

unsigned linear_boost(unsigned cores, double factor, unsigned most) noexcept {
  const double wanted = std::ceil(cores * std::max(factor, 1.0));
  return wanted < most ? static_cast<unsigned>(wanted) : most;
}

void adaptive_boost::observe(unsigned threads, double used) {
  if (threads == 0 || !(used >= 0)) return;
  if (threads >= m_used.size()) m_used.resize(threads + 1, -1);
  double& known = m_used[threads];
  known = known < 0 ? used : (known + used) / 2;
}

double adaptive_boost::expected(unsigned threads) const noexcept {
  const auto seen = [&](std::size_t n) { return n > 0 && n < m_used.size() && m_used[n] >= 0; };
  for (std::size_t away = 0; away <= std::max<std::size_t>(m_used.size(), threads); ++away) {
    // The lower one first: more threads use less each.
    for (const std::size_t n : {threads - away, threads + away})
      if (n <= threads + away && seen(n)) return threads * m_used[n] / static_cast<double>(n);
  }
  return threads; // nothing is known: each uses a core
}

unsigned adaptive_boost::threads(unsigned cores, unsigned most) const noexcept {
  if (cores == 0) return 0;
  for (unsigned n = std::min(cores, most); n < most; ++n)
    if (expected(n) >= cores - 1e-9) return n;
  return most;
}

} // namespace treadle::decide
