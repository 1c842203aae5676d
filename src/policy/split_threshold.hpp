#pragma once

#include "policy/adaptive_inlining.hpp"

#include <limits>
#include <span>

namespace treadle::policies {

/// From which amount of work on the parts of a loop's body become tasks: one decision for all of them, however many.
/// Where making a task of one part pays, it pays for all that take longer. So there are as many choices as the work of
/// the parts spans powers of two, plus the one to split nothing, and thousands of parts are decided in a few dozen
/// windows: one choice against its neighbour at a time (tune/two_arm.cpp), by the period of the loop around them, which
/// contains all that splitting gains or costs.
///
/// Begins with 19 times the cost of a task (as adaptive_inlining), and spends 0.5 % of the time on trying.
class split_threshold {
 public:
  explicit split_threshold(spawn_cost cost) : m_cost(cost) {}

  /// What each part that could be a task takes; again when that has changed. The search goes on when the same choices
  /// are left.
  void parts(std::span<const double> work_ns);
  /// So long took an iteration of the loop around them.
  void period(double ns);
  void use(spawn_cost cost);

  /// Split what takes at least so long; infinite: nothing.
  double ns() const noexcept { return m_threshold_ns; }
  bool tries() const noexcept { return m_levels.size() > 1 && m_cost.workers > 1; }
  std::uint64_t windows() const noexcept { return m_search ? m_search->windows() : 0; }
  unsigned epoch() const noexcept { return m_search ? m_search->epoch() : 0; }

 private:
  static constexpr double k_window_ns = 1e6;

  void choose() noexcept;

  spawn_cost m_cost;
  std::vector<double> m_levels; // thresholds, rising; the last is infinite
  std::optional<tune::search> m_search;
  double m_threshold_ns = std::numeric_limits<double>::infinity();
  double m_sum_ns = 0;
  unsigned m_periods = 0;
};

} // namespace treadle::policies
