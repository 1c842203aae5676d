// How much work a task gets, its grain. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle::decide {

/// What is known of tasks that do the same to more or less work, without having tried sizes. Times in ns.
struct grain_model {
  double work = 0;        ///< between two waits for all tasks, in units such as points
  double ns_per_unit = 0; ///< of execution
  double overhead_ns = 0; ///< per task, all that is not execution
  unsigned workers = 1;

  /// The grain g at which that takes least: (W c / P) (1 + t_o / (g c)) + g c / 2, half a task being the mean time that
  /// the last of them keeps the others waiting.
  double best() const noexcept;
  /// From here on tasks cost no more than 5 % of what they do.
  double smallest_useful() const noexcept { return 19 * overhead_ns / ns_per_unit; }
  /// The useful grain closest to another one, of which the model does not know what speaks for it, such as caches. What
  /// a task costs is about known, so one that is off by less than a factor of two stays.
  double closest(double grain) const noexcept;
};

/// The grains that are tried: half octaves from a start, which is one of them.
class grain_places {
 public:
  /// Both bounds at least 1; `start` is moved in between.
  grain_places(double smallest, double largest, double start) noexcept;

  std::uint32_t count() const noexcept { return m_count; }
  double grain(std::uint64_t place) const noexcept;
  std::uint32_t closest(double grain) const noexcept; ///< place
  std::uint32_t start() const noexcept { return m_start; }

 private:
  double m_smallest; // of the places
  std::uint32_t m_count, m_start;
};

/// Grubel et al., "The Performance Implication of Task Size for Applications on the HPX Runtime System", CLUSTER 2015,
/// IV-A: the smallest grain with an idle-rate of at most 30 %; from small to large, factor by factor.
class idle_rate_rule {
 public:
  idle_rate_rule(double smallest, double largest) noexcept : m_grain(smallest), m_largest(largest) {}

  double next() const noexcept { return m_grain; }
  /// Of a window with next(), in percent; void when it is no number.
  void report(double idle_rate) noexcept {
    if (m_settled || !(idle_rate >= 0)) return;
    if (idle_rate <= k_threshold || m_grain >= m_largest)
      m_settled = true;
    else
      m_grain = m_grain * 2 < m_largest ? m_grain * 2 : m_largest;
  }
  bool settled() const noexcept { return m_settled; }

 private:
  static constexpr double k_threshold = 30;

  double m_grain, m_largest;
  bool m_settled = false;
};

} // namespace treadle::decide
