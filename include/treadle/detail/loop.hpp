#pragma once

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

/// A loop as the runtime sees it: iterations 0 .. n-1 that it may hand out in ranges, each part with a state of its
/// own. One constant table per loop body.
struct loop_body {
  /// Executes iterations [begin, end) in order; false: iterations after these are not needed. Those before are done.
  bool (*run)(void* context, void* state, std::uint64_t begin, std::uint64_t end);
  /// The rest is null for a loop without state. A fresh state for a part that another worker took.
  void* (*make_state)(void* context) = nullptr;
  /// Appends the result of the iterations that follow those of `left`.
  void (*merge)(void* context, void* left, void* right) = nullptr;
  void (*destroy_state)(void* state) noexcept = nullptr;
};

/// Pieces of a loop that take a few microseconds each.
class loop_pieces {
 public:
  /// The end of the next one. The time since the last call is what the one before took.
  std::uint64_t next(std::uint64_t begin, std::uint64_t end) noexcept;

 private:
  std::uint64_t m_size = 1;
  std::int64_t m_since = 0; // ticks
};

struct loop_site;

/// Chooses the chunk of loops while they run.
struct chunk_tuner {
  /// Before a loop of n iterations: its chunk. `measured` says whether done() is wanted.
  std::uint64_t (*begin)(loop_site& site, std::uint64_t n, bool& measured) noexcept;
  /// After it; n = 0 when it was not run to its end.
  void (*done)(loop_site& site, std::uint64_t n) noexcept;
};

/// How a loop may be cut.
struct loop_cut {
  enum class kind : unsigned char {
    on_demand, ///< when somebody is hungry, into pieces that are worth it by measurement
    fixed,     ///< when somebody is hungry, into multiples of `chunk`
    guided,    ///< chunks of the remaining iterations divided by twice the workers, at least `chunk`
    spread     ///< at once, into one part per worker, each a multiple of `chunk`
  };
  kind how = kind::on_demand;
  std::uint64_t chunk = 1;
  unsigned parts_max = 0;                                   ///< parts at work at the same time; 0: any number
  const chunk_tuner* tuner = nullptr;                       ///< of `chunk`
  bool (*is_stopped)(const void* token) noexcept = nullptr; ///< null: it cannot be
  const void* token = nullptr;

  bool stops() const noexcept { return is_stopped && is_stopped(token); }
};

/// What is known about the loops with one body. Updated by relaxed operations from any thread: an update lost to a race
/// costs accuracy, nothing else.
struct loop_site {
  task_name name = name_from("a loop"); ///< the type of its body
  /// A loop of at most this many iterations is not worth the cost of sharing it.
  atomic<std::uint64_t> serial_up_to{0};
  atomic<std::uint64_t> measured_at{0}; ///< last_hungry_ms when a loop was last measured
  atomic<std::uint64_t> ps_per_iteration{0};
  atomic<void*> tuning{nullptr}; ///< what a chunk_tuner knows
};

template <class Body>
inline constinit loop_site loop_site_of{type_name<Body>()};

/// When some worker last found nothing to do. Loops measured before are measured again: only then does it matter, and
/// as long as everybody is busy small ones cost nothing but two comparisons.
extern atomic<std::uint64_t> last_hungry_ms;

/// True when a loop should simply be run: known to be too small to share.
inline bool runs_serially(const loop_site& site, std::uint64_t n) noexcept {
  return n <= site.serial_up_to.load(order::relaxed) &&
         site.measured_at.load(order::relaxed) == last_hungry_ms.load(order::relaxed);
}

/// Runs all iterations, and returns when they are done, with the merged result in `state`. Where it ends early, by
/// `run` or by an exception, everything before is done: the exception that is rethrown is that of a sequential run. One
/// that is stopped ends after the chunks that are at work, and throws treadle::stopped.
/// Called on a foreign thread it moves to the current runtime.
void run_loop(const loop_body& body, void* context, void* state, std::uint64_t n, const loop_cut& cut, loop_site& site);

} // namespace treadle::detail
