// The rules for the grain of Grubel et al., "The Performance Implication of Task Size for Applications on the HPX
// Runtime System", CLUSTER 2015, as searches from small to large, factor by factor. The paper applies them to runs that
// were made before, with every grain. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace treadle::decide {

/// What the paper's counters say of a window with one grain. Times in ns, summed over the workers.
struct grain_window {
  double units = 0;        ///< of work
  double tasks = 0;        ///< n_t
  double executing_ns = 0; ///< in tasks
  double overall_ns = 0;
  double looks = 0; ///< at pending queues
  double workers = 1;

  void add(const grain_window& more) noexcept;
  /// Eq. 1, in percent; NaN where nothing was counted.
  double idle_rate() const noexcept { return 100 * (overall_ns - executing_ns) / overall_ns; }
  /// t_d, Eq. 2.
  double task_ns() const noexcept { return executing_ns / tasks; }
  /// T_o, Eq. 3 and 4: per worker.
  double management_ns() const noexcept { return (overall_ns - executing_ns) / workers; }
  /// T_w, Eq. 5 and 6: per worker. `alone_ns` is t_d1, what such a task takes one worker.
  double wait_ns(double alone_ns) const noexcept { return (task_ns() - alone_ns) * tasks / workers; }
};

/// From the smallest to the largest grain, each twice the one before.
std::vector<double> doubled_grains(double smallest, double largest);

/// IV-A: the smallest grain whose idle-rate is tolerated; the paper tolerates 30 %.
class idle_rate_rule {
 public:
  idle_rate_rule(double smallest, double largest, double tolerated) noexcept
      : m_grain(smallest), m_largest(largest), m_tolerated(tolerated) {}

  double next() const noexcept { return m_grain; }
  /// Of a window with next(); void when it has no idle-rate.
  void report(const grain_window& w) noexcept;
  bool settled() const noexcept { return m_settled; }

 private:
  double m_grain, m_largest, m_tolerated;
  bool m_settled = false;
};

/// IV-D and VI: the grain with the least management and wait time, T_o + T_w, for the same work. t_d1 is calibrated at
/// the start: a window of each grain with one worker. Each grain has to be a task.
class costs_rule {
 public:
  costs_rule(double smallest, double largest) : m_grains(doubled_grains(smallest, largest)) {}

  double next() const noexcept { return m_grains[m_at]; }
  /// Whether the next window is to have one worker.
  bool calibrates() const noexcept { return m_alone_ns.size() < m_grains.size(); }
  /// Of a window with next(); void when no task ended in it.
  void report(const grain_window& w);
  bool settled() const noexcept { return m_costs.size() == m_grains.size(); }

 private:
  std::vector<double> m_grains;
  std::vector<double> m_alone_ns; // t_d1
  std::vector<double> m_costs;    // of a unit of work
  std::size_t m_at = 0;
};

} // namespace treadle::decide
