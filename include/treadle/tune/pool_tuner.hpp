#pragma once

#include <treadle/detail/config.hpp>

#include <memory>
#include <string>

namespace treadle {

class runtime;

/// Finds out, while a program runs, how many workers each pool of a runtime should have, and moves them
/// (runtime::resize_pool()).
///
///     treadle::runtime runtime({.pools = "critical:2:exclusive"});
///     treadle::pool_tuner tuner(runtime);
///     for (int step = 0; step < steps; ++step) {
///       advance();
///       tuner.done();
///     }
///
/// It looks at the speed, units of work per second, over windows of some steps, and goes on looking after it has
/// settled: when the speed changes for good, it searches again. Pools whose hardware threads somebody has named keep
/// their size. Matters where pools are exclusive; others lend each other idle workers anyway. One thread at a time; the
/// runtime must live longer.
class pool_tuner {
 public:
  struct options {
    std::string name = "pool_tuner"; ///< in explain()
    /// A window is at least so long, and at least one step.
    std::int64_t window_ns = 10'000'000;
    /// Share of the time that tries may lose. Negative: what the process allows all decisions together, 1 %. 0: no
    /// limit.
    double budget = -1;
    /// Not 0: by itself, every so many ms, for programs without steps. It looks at the share of the workers' time in
    /// which tasks are executed then; done() is not to be called.
    int every_ms = 0;
  };

  /// Throws std::invalid_argument when the runtime has no two pools whose sizes can change.
  explicit pool_tuner(runtime& of);
  pool_tuner(runtime& of, const options& wanted);
  pool_tuner(pool_tuner&&) noexcept;
  pool_tuner& operator=(pool_tuner&&) noexcept;
  /// The pools keep the best sizes that are known.
  ~pool_tuner();

  /// So much work was done since the last call: a step, or some. Moves workers, and waits for nobody.
  void done(double units = 1);
  /// Something else was done since the last call: that time does not count.
  void resume() noexcept;

  /// "critical:1,default:3"
  std::string sizes() const;
  bool settled() const;
  /// Windows that were measured so far.
  unsigned windows() const;

 private:
  struct state;
  std::unique_ptr<state> m_state;
};

} // namespace treadle
