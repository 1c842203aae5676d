// From which amount of work on the parts of a loop's body become tasks. Pure.
#pragma once

#include "decide/spawn_cost.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace treadle::decide {

/// The thresholds that are worth trying. One decision for all parts, however many: where making a task of one part
/// pays, it pays for all that take longer. So there are as many choices as the work of the parts spans octaves, plus
/// the one to split none of them, and thousands of parts are decided in a few dozen windows: one choice against its
/// neighbour at a time, by the period of the loop around them, which contains all that splitting gains or costs.
///
/// The choice to begin with is the one that splits what takes 19 times the cost of a task (Grubel et al., CLUSTER
/// 2015), or, after others, what the best of them would split.
class split_thresholds {
 public:
  explicit split_thresholds(const spawn_cost& task) noexcept : m_task(task) {}

  /// What each part that could be a task takes, which is left sorted. True: the choices are other ones than before.
  /// They stay as long as they do, where 20 % are no change. `found_ns`: a threshold that was found by trying.
  bool update(std::vector<double>& work_ns, std::optional<double> found_ns);

  std::size_t choices() const noexcept { return m_levels.size(); } ///< 0: nothing is known of the parts
  std::size_t start() const noexcept { return m_start; }
  /// Split what takes at least so long; infinite where nobody could help.
  double ns(std::size_t choice) const noexcept;

 private:
  static constexpr double k_octave = 2, k_slack = 1.2;

  bool are_choices_for(const std::vector<double>& rising) const;
  std::vector<double> choices_for(const std::vector<double>& rising) const;
  std::size_t start_for(const std::vector<double>& rising, std::optional<double> found_ns) const noexcept;

  spawn_cost m_task;
  std::vector<double> m_levels; // thresholds, rising
  std::size_t m_start = 0;
};

} // namespace treadle::decide
