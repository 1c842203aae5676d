#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

class runtime;

/// Finds out, while a program runs, how many workers each pool of a runtime should have, whether some should have none
/// and leave their tasks to the pool "default", and where all workers run, if it is told to; and moves them
/// (runtime::resize_pool(), set_binding()). Where pools go by critical paths, it finds out whether that is worth it,
/// which it is not for tasks that are shorter than it takes to order them: with one pool, too.
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
/// their size. Matters most where pools are exclusive: others lend each other idle workers anyway, but two pools may
/// still be slower than one. One thread at a time; the runtime must live longer.
class pool_tuner {
 public:
  struct options {
    std::string name = "pool_tuner"; ///< in explain()
    /// A window is at least so long, and at least one step.
    std::int64_t window_ns = 10'000'000;
    /// Share of the time that tries may lose. Negative: what the process allows all decisions together, 1 %. 0: no
    /// limit.
    double budget = -1;
    /// With a budget above 0: how many windows tries may lose in advance, before the budget's share of the time is as
    /// long. For programs that end before 1 % of their time is a window.
    double advance = 0;
    /// Where workers may run, besides where they do: "none" and names of mappings (runtime_options::bind). None: that
    /// stays as it is, because a binding was chosen by name, or it was left to the operating system, which knows what
    /// else runs on the machine.
    std::vector<std::string> bindings = {};
    /// Not 0: by itself, every this many ms, for programs without steps. It looks at the share of the workers' time in
    /// which tasks are executed then, of which the order of tasks is a part, so that stays as it is; done() is not to
    /// be called.
    int every_ms = 0;

    /// For a program that repeats some hundred times, and must not lose 3 % of that by finding out: half the budget,
    /// and a window in advance.
    static options for_repetitions() {
      options made;
      made.window_ns = 2'000'000;
      made.budget = 0.005;
      made.advance = 1;
      return made;
    }
  };

  /// Throws std::invalid_argument when there is nothing to find out: no two pools whose sizes can change, and none with
  /// scheduling::critical_path, or `every_ms` leaves the order alone; or, with the names that there are, when a binding
  /// has another one.
  explicit pool_tuner(runtime& of);
  pool_tuner(runtime& of, const options& wanted);
  pool_tuner(pool_tuner&&) noexcept;
  pool_tuner& operator=(pool_tuner&&) noexcept;
  /// The pools keep the best sizes, and the workers the best binding, that are known, and the better way to order
  /// tasks.
  ~pool_tuner();

  /// Says how many units of work were done since the last call: a step, or some. Moves workers, and waits for nobody.
  void done(double units = 1);
  /// Something else was done since the last call: that time does not count.
  void resume() noexcept;

  /// "critical:1,default:3", or "critical:0,default:4" where the pool "default" runs all tasks.
  std::string sizes() const;
  /// "none", "scatter": as runtime::binding().
  std::string binding() const;
  /// Pools that go by critical paths do so now; true where there are none.
  bool is_ordering() const;
  bool settled() const;
  /// Windows that were measured so far.
  unsigned windows() const;

 private:
  struct state;
  std::unique_ptr<state> m_state;
};

} // namespace treadle
