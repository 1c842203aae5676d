#pragma once

#include <treadle/detail/config.hpp>

#include <memory>
#include <string>

namespace treadle {

/// Finds out, while a program runs, how much work its tasks should get.
///
///     treadle::grain_tuner tuner({.smallest = 64, .largest = 1e6});
///     for (int step = 0; step < steps; ++step) {
///       const auto grain = tuner.grain();
///       advance(points, grain);
///       tuner.done(points, grain);
///     }
///
/// It looks at the speed, units of work per second, over windows of some steps, and goes on looking after it has
/// settled: when the speed changes for good, it searches again. What it finds is kept for each number of workers. One
/// thread at a time; a call costs some 50 ns.
class grain_tuner {
 public:
  struct options {
    std::string name = "grain_tuner"; ///< in explain()
    double smallest = 1;              ///< units of work per task
    double largest = 1e9;
    double start = 0; ///< where the search begins; 0: in the middle, on a logarithmic scale
    /// Units of work between two waits for all tasks, 0 when that is not known. Knowing it, the tuner takes the first
    /// window to see what a unit costs, moves the start to where tasks cost little and leave no worker without one
    /// (decide/grain.hpp), and steps from there with more care.
    double step = 0;
    double overhead_ns = 500; ///< about what a task costs besides its work; this is a node of dataflow
    /// "auto", or for comparison the rules of Grubel et al. (CLUSTER 2015): "paper-idle-rate", the smallest grain whose
    /// idle-rate is tolerated; "paper-pending", the one with the fewest looks at pending queues; "paper-costs", the one
    /// with the least management and wait time, T_o + T_w. The last one first takes a window of each grain with one
    /// worker (runtime::set_concurrency), to see what tasks take when they do not wait.
    std::string policy = "auto";
    double idle_rate = 30; ///< the most that "paper-idle-rate" tolerates, in percent
    /// A window is at least so long, and at least one step.
    std::int64_t window_ns = 2'000'000;
    /// Share of the time that tries may lose. Negative: what the process allows all decisions together, 1 %. 0: no
    /// limit.
    double budget = -1;
  };

  /// Throws std::invalid_argument when a bound or the policy is none.
  explicit grain_tuner(const options& wanted);
  grain_tuner(grain_tuner&&) noexcept;
  grain_tuner& operator=(grain_tuner&&) noexcept;
  ~grain_tuner();

  /// For the next step.
  std::uint64_t grain() const noexcept;
  /// Says how many units of work were done since the last call, with which grain: those of a step, or of some. Where
  /// steps overlap it may be another grain than grain() is now; then that time does not count.
  void done(double units, std::uint64_t grain);
  /// Something else was done since the last call: that time does not count.
  void resume() noexcept;

  bool settled() const noexcept;
  /// Windows that were measured so far.
  unsigned windows() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> m_state;
};

} // namespace treadle
