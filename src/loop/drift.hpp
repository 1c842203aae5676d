#pragma once

#include <algorithm>
#include <cmath>

namespace treadle::loop {

/// Tells whether what one choice costs is still what it used to be: a two-sided cumulative sum (Page, Biometrika 41,
/// 1954) against a reference that is learned from the windows themselves.
///
/// A window goes into the reference only when both sums are zero again, with all that came since they were: a change
/// that is just being noticed cannot become what is usual. Few windows say little about their deviation, so it counts
/// as greater than it looks, until there are many. drift_test.cpp shows: with normal noise of 4 %, a lasting change of
/// 20 % that begins after 16 windows or later is told within 30, and less than one window in a million is a false
/// alarm, those right after the start included.
class drift_detector {
 public:
  static constexpr unsigned k_least = 12; ///< windows before which no change is reported

  /// `patience`: by how much the alarm level is raised, where noise comes in bursts.
  explicit drift_detector(double patience = 1) noexcept : m_patience(patience) {}

  /// A logarithm of a cost. True: it has left what was known, for good.
  bool add(double x) noexcept {
    if (m_known.count < k_least) {
      m_known.add(x);
      return false;
    }
    const double z = std::clamp((x - m_known.mean) / deviation(), -k_most, k_most); // one spike is no change
    m_up = std::max(0.0, m_up + z - k_slack);
    m_down = std::max(0.0, m_down - z - k_slack);
    if (std::max(m_up, m_down) > k_alarm * m_patience) return true;
    m_doubtful.add(m_known.mean + z * deviation());
    if (m_up > 0 || m_down > 0) return false;
    if (m_known.count < k_enough) m_known.add(m_doubtful);
    m_doubtful = {};
    return false;
  }

  /// What came last gives no reason to doubt the reference, as far as there is one.
  bool is_calm() const noexcept { return m_up == 0 && m_down == 0; }
  unsigned count() const noexcept { return m_known.count; } ///< windows in the reference
  double mean() const noexcept { return m_known.mean; }
  double deviation() const noexcept {
    if (m_known.count < 2) return k_smallest_deviation;
    const double others = m_known.count - 1;
    return std::max(std::sqrt(m_known.squares / others) * (1 + k_doubt / others), k_smallest_deviation);
  }

 private:
  struct moments {
    unsigned count = 0;
    double mean = 0, squares = 0; // of the differences from the mean
    void add(double x) noexcept { add(moments{1, x, 0}); }
    void add(const moments& more) noexcept { // Chan, Golub, LeVeque, 1979
      if (more.count == 0) return;
      const double difference = more.mean - mean, share = static_cast<double>(more.count) / (count + more.count);
      squares += more.squares + difference * difference * count * share;
      mean += difference * share;
      count += more.count;
    }
  };

  static constexpr unsigned k_enough = 64;
  static constexpr double k_slack = 1.25, k_alarm = 20, k_most = 4; // deviations
  static constexpr double k_doubt = 4, k_smallest_deviation = 0.02;

  double m_patience;
  moments m_known, m_doubtful;
  double m_up = 0, m_down = 0;
};

} // namespace treadle::loop
