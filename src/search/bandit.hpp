// What the two bandits know of their arms: means that forget.
#pragma once

#include "search/space.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace treadle::tune {

/// Makes each report count a little less with every later one. Instead of shrinking them all, what is added grows.
class growing_weight {
 public:
  /// `memory`: after so many windows a report counts 1/e.
  explicit growing_weight(double memory) : m_growth(1 / (1 - 1 / std::max(memory, 2.0))) {}

  /// What the next report counts, for as much as `windows`.
  double next(double windows) noexcept {
    m_now *= m_growth;
    m_total += m_now * windows;
    return m_now * windows;
  }
  /// Before it overflows: what all sums are divided by; otherwise 0.
  double scale_down() noexcept {
    if (m_now < 1e100) return 0;
    m_total /= m_now;
    return std::exchange(m_now, 1);
  }
  void clear() noexcept {
    m_now = 1;
    m_total = 0;
  }
  double windows(double count) const noexcept { return count / m_now; } ///< as windows of today
  double windows() const noexcept { return m_total / m_now; }           ///< all that were reported

 private:
  double m_growth, m_now = 1, m_total = 0;
};

struct discounted_sums {
  double count = 0, sum = 0; // growing
  double mean() const noexcept { return sum / count; }
  void add(double weight, double x) noexcept {
    count += weight;
    sum += weight * x;
  }
  void divide(double by) noexcept {
    count /= by;
    sum /= by;
  }
};

/// Sums of the arms that were played, of which there may be any number: those that count least are forgotten.
class discounted_arms {
 public:
  static constexpr std::size_t k_most = 256;

  struct entry : discounted_sums {
    explicit entry(arm a) noexcept : at(a) {}
    arm at;
  };

  explicit discounted_arms(double memory) : m_weight(memory) {}

  void add(arm at, double x, double weight = 1) {
    here(at).add(m_weight.next(weight), x);
    if (const double by = m_weight.scale_down(); by > 0) {
      for (entry& e : m_entries) e.divide(by);
      std::erase_if(m_entries, [](const entry& e) { return e.count < 1e-50; }); // before it underflows
    }
  }
  void clear() {
    m_entries.clear();
    m_weight.clear();
  }

  /// Null when it was never played.
  const entry* find(arm at) const noexcept {
    const auto found = position(at);
    return found != m_entries.end() && found->at == at ? &*found : nullptr;
  }
  const std::vector<entry>& all() const noexcept { return m_entries; } ///< that were played, in order
  const growing_weight& weight() const noexcept { return m_weight; }

  const entry* lowest() const noexcept {
    const entry* best = nullptr;
    for (const entry& e : m_entries)
      if (!best || e.mean() < best->mean()) best = &e;
    return best;
  }

 private:
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
      found = m_entries.insert(found, entry(at));
    }
    return m_entries[static_cast<std::size_t>(found - m_entries.begin())];
  }

  growing_weight m_weight;
  std::vector<entry> m_entries; // sorted
};

/// How far a mean of logarithms over `count` windows may be off, and so what an arm deserves for being little known.
/// UCB1's term (Auer et al., 2002) with the factor that suits relative noise of some percent.
inline double optimism(double log_total, double count) noexcept { return std::sqrt(0.02 * log_total / count); }

} // namespace treadle::tune
