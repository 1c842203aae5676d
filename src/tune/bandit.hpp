// What the two bandits know of their arms: means that forget.
#pragma once

#include "tune/space.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace treadle::tune {

/// By which reports grow, so that one counts 1/e after so many windows.
inline double growth_for(double memory) noexcept { return 1 / (1 - 1 / std::max(memory, 2.0)); }

/// Discounted sums: each report makes all earlier ones count a little less. Instead of shrinking them all, what is
/// added grows; everything is scaled down before that overflows.
class discounted_arms {
 public:
  struct entry {
    arm at = 0;
    double count = 0, sum = 0; // growing
    double mean() const noexcept { return sum / count; }
  };

  /// `memory`: after so many windows a report counts 1/e.
  explicit discounted_arms(double memory) : m_growth(growth_for(memory)) {}

  void add(arm at, double x, double weight = 1) {
    m_weight *= m_growth;
    m_total += m_weight * weight;
    entry& e = here(at);
    e.count += m_weight * weight;
    e.sum += m_weight * weight * x;
    if (m_weight > 1e100) rescale();
  }
  void clear() {
    m_entries.clear();
    m_weight = 1;
    m_total = 0;
  }

  /// Null when it was never played.
  const entry* find(arm at) const noexcept {
    const auto found = position(at);
    return found != m_entries.end() && found->at == at ? &*found : nullptr;
  }
  const std::vector<entry>& all() const noexcept { return m_entries; } ///< that were played, in order
  /// A count as windows of today.
  double windows(double count) const noexcept { return count / m_weight; }
  double windows() const noexcept { return m_total / m_weight; } ///< of all arms

  const entry* lowest() const noexcept {
    const entry* best = nullptr;
    for (const entry& e : m_entries)
      if (!best || e.mean() < best->mean()) best = &e;
    return best;
  }

 private:
  static constexpr std::size_t k_most = 256;

  std::vector<entry>::const_iterator position(arm at) const noexcept {
    return std::lower_bound(m_entries.begin(), m_entries.end(), at, [](const entry& e, arm a) { return e.at < a; });
  }
  entry& here(arm at) {
    auto found = position(at);
    if (found == m_entries.end() || found->at != at) {
      if (m_entries.size() == k_most) { // forgets what counts least
        m_entries.erase(std::min_element(m_entries.begin(), m_entries.end(),
                                         [](const entry& a, const entry& b) { return a.count < b.count; }));
        found = position(at);
      }
      found = m_entries.insert(found, {at, 0, 0});
    }
    return m_entries[static_cast<std::size_t>(found - m_entries.begin())];
  }
  void rescale() {
    for (entry& e : m_entries) {
      e.count /= m_weight;
      e.sum /= m_weight;
    }
    std::erase_if(m_entries, [](const entry& e) { return e.count < 1e-50; }); // before it underflows
    m_total /= m_weight;
    m_weight = 1;
  }

  double m_growth, m_weight = 1, m_total = 0;
  std::vector<entry> m_entries; // sorted
};

/// How far a mean of logarithms over `count` windows may be off, and so what an arm deserves for being little known.
/// UCB1's term (Auer et al., 2002) with the factor that suits relative noise of some percent.
inline double optimism(double log_total, double count) noexcept { return std::sqrt(0.02 * log_total / count); }

} // namespace treadle::tune
