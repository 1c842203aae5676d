#pragma once

#include "policy/adaptive_inlining.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace treadle::policies {

/// From which amount of work on the parts of a loop's body become tasks: one decision for all of them, however many.
/// Where making a task of one part pays, it pays for all that take longer. So there are as many choices as the work of
/// the parts spans octaves, plus the one to split none of them, and thousands of parts are decided in a few dozen
/// windows: one choice against its neighbour at a time (tune/two_arm.cpp), by the period of the loop around them, which
/// contains all that splitting gains or costs.
///
/// Begins with 19 times the cost of a task (as adaptive_inlining), and spends 0.5 % of the time on trying. The first
/// try wakes the workers, which takes about a millisecond: a program must have run for a while for that to be little.
class split_threshold {
 public:
  explicit split_threshold(spawn_cost cost) : m_cost(cost) { choose(); }

  /// What each part that could be a task takes, which is left sorted; again when that may have changed. The search goes
  /// on as long as the same choices are left, where 20 % are no change.
  void parts(std::vector<double>& work_ns);
  /// So many iterations of the loop around them since the last report, in so much time.
  void period(double iterations, double ns);
  /// Periods are of another loop from now on.
  void begin_loop();
  /// The cost may change, as with a new runtime: what was tried is void.
  void use(spawn_cost cost);

  /// The threshold has just been changed: the next period says nothing, and may be short.
  bool is_settling() const noexcept { return m_search && m_search->is_settling(); }
  /// The best that is known until the next period is reported: something else comes in between.
  void settle() noexcept;

  /// Split what takes at least so long; infinite where nobody could help.
  double ns() const noexcept { return m_threshold_ns; }
  bool tries() const noexcept { return m_levels.size() > 1 && m_cost.workers > 1; }
  std::uint64_t windows() const noexcept { return m_search ? m_search->windows() : 0; }
  unsigned epoch() const noexcept { return m_search ? m_search->epoch() : 0; }

 private:
  static constexpr double k_infinity = std::numeric_limits<double>::infinity();
  static constexpr double k_octave = 2, k_slack = 1.2;
  static constexpr double k_first_try_ns = 250e6; // of the loop

  bool are_choices_for(const std::vector<double>& rising) const;
  std::vector<double> choices_for(const std::vector<double>& rising) const;
  tune::arm start_for(const std::vector<double>& rising) const noexcept;
  void choose() noexcept;

  spawn_cost m_cost;
  std::vector<double> m_levels; // thresholds, rising
  std::optional<tune::search> m_search;
  tune::arm m_start = 0, m_present = 0;
  std::optional<double> m_found_ns; // by one that left its start
  double m_threshold_ns = k_infinity;
  double m_measured_ns = 0;
};

} // namespace treadle::policies
