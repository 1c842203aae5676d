#pragma once

#include <treadle/detail/config.hpp>

#include <memory>
#include <string>

namespace treadle {

/// Finds out, while a program runs, how much work its tasks should get.
///
///     treadle::grain_tuner tuner({.smallest = 64, .largest = 1e6});
///     for (int step = 0; step < steps; ++step) {
///       advance(points, tuner.grain());
///       tuner.done(points);
///     }
///
/// It looks at the speed, units of work per second, over windows of some steps, and goes on looking after it has
/// settled: when the speed changes for good, it searches again. One thread at a time; a call costs some 50 ns.
class grain_tuner {
 public:
  struct options {
    double smallest = 1; ///< units of work per task
    double largest = 1e9;
    double start = 0; ///< where the search begins; 0: in the middle, on a logarithmic scale
    /// "auto", or for comparison the rules of Grubel et al. (CLUSTER 2015): "paper-idle-rate", the smallest grain with
    /// an idle-rate of at most 30 %, and "paper-pending", the one with the fewest looks at pending queues.
    std::string policy = "auto";
    /// A window is at least so long, and at least one step.
    std::int64_t window_ns = 20'000'000;
  };

  /// Throws std::invalid_argument when a bound or the policy is none.
  explicit grain_tuner(const options& wanted);
  grain_tuner(grain_tuner&&) noexcept;
  grain_tuner& operator=(grain_tuner&&) noexcept;
  ~grain_tuner();

  /// For the next step.
  std::uint64_t grain() const noexcept;
  /// So much work was done with grain() since the last call: a step, or some.
  void done(double units);
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
