#pragma once

#include <algorithm>
#include <cmath>

namespace treadle::tune {

/// Tells whether the cost of one arm is still what it used to be: a two-sided cumulative sum (Page, Biometrika 41,
/// 1954) against a reference learned from the first windows, as in CUSUM-UCB (Liu, Lee, Shroff, AAAI 2018). With
/// normal noise it gives a false alarm in some 10^8 windows; a shift by three deviations is seen after about six, one
/// beyond a factor of two, if that is out of the ordinary, after three.
class drift_detector {
 public:
  /// So many times as much has to be seen, where noise comes in bursts.
  explicit drift_detector(double patience = 1) noexcept : m_patience(patience) {}

  /// A logarithm of a cost. True: it has left what was known, for good.
  bool add(double x) noexcept {
    const double z = m_count < k_least ? 0 : std::clamp((x - m_mean) / deviation(), -3.0, 3.0);
    if (m_count < k_most) {
      const double kept = m_count < k_least ? x : m_mean + z * deviation(); // an outlier counts three deviations
      const double before = m_mean;
      m_mean += (kept - m_mean) / ++m_count;
      m_squares += (kept - before) * (kept - m_mean);
    }
    const bool far = m_count >= k_least && std::abs(x - m_mean) > std::max(6 * deviation(), k_far);
    m_far = far ? m_far + 1 : 0;
    if (m_far >= k_far_windows * m_patience) return true;
    m_up = std::max(0.0, m_up + z - k_slack);
    m_down = std::max(0.0, m_down - z - k_slack);
    return std::max(m_up, m_down) > k_alarm * m_patience;
  }

  unsigned count() const noexcept { return m_count; } ///< windows in the reference
  double mean() const noexcept { return m_mean; }
  double deviation() const noexcept {
    return m_count < 2 ? k_smallest_deviation : std::max(std::sqrt(m_squares / (m_count - 1)), k_smallest_deviation);
  }

 private:
  static constexpr unsigned k_least = 8, k_most = 64;
  static constexpr double k_far = 0.7; // a factor of two
  static constexpr unsigned k_far_windows = 3;
  static constexpr double k_slack = 0.75, k_alarm = 12, k_smallest_deviation = 0.02;

  double m_patience;
  unsigned m_count = 0;
  double m_mean = 0, m_squares = 0;
  double m_up = 0, m_down = 0;
  unsigned m_far = 0; // windows in a row
};

} // namespace treadle::tune
