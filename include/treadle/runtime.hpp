#pragma once

#include <treadle/pools.hpp>
#include <treadle/tune/inlining.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

/// Called by each worker of all pools on its thread, with its number through all pools: before its first task, and
/// after its last. They must not create tasks or wait for them: doing so throws std::system_error, and ends the
/// program. What they do to the thread's affinity stays until the mask of the process changes.
struct worker_hooks {
  void (*on_start)(void* context, unsigned worker) noexcept = nullptr;
  void (*on_stop)(void* context, unsigned worker) noexcept = nullptr;
  void* context = nullptr;
};

/// How a runtime is set up. Every field can also be given on the command line of the program, as --treadle:NAME=VALUE
/// or --treadle:NAME VALUE, and in the environment. What the program sets itself goes first, then the command line,
/// then the environment, then the default.
struct runtime_options {
  /// Workers (OS threads). --treadle:workers, TREADLE_WORKERS; default: usable cores, that is the affinity mask of the
  /// main thread, bounded by the CPU quota of the control group. Then no more workers are active at a time than these
  /// allow later on, which is looked at twice in a second. A program that binds its main thread to a core for itself
  /// says here how many workers it wants; these keep the mask with which the process began.
  unsigned workers = 0;
  /// Usable bytes of a task's stack; only tasks that really suspend occupy one. --treadle:stack-bytes,
  /// TREADLE_STACK_BYTES; default 256 KiB, at least 128 KiB.
  std::size_t stack_bytes = 0;
  /// Further pools with workers of their own, for pool_executor, or how the pool "default" is set up: "io:1,blas:2"
  /// (treadle/pools.hpp). --treadle:pools, TREADLE_POOLS. `workers` are those of the pool "default".
  treadle::pools pools = {};
  /// Pools may have more workers together than hardware threads, where nobody has said how many they have, and a pool
  /// may have none of its own. --treadle:oversubscribe, TREADLE_OVERSUBSCRIBE=1.
  bool oversubscribe = false;
  /// Idle workers may interrupt busy ones by a signal (SIGURG, with SA_RESTART, at most every 50 us) to be given latent
  /// work that would wait for the end of a long function otherwise. A system call that a task waits in may then fail
  /// with EINTR, those that SA_RESTART does not cover. Programs that use SIGURG themselves are left alone.
  /// --treadle:nudge=0, TREADLE_NUDGE=0 turns it off.
  bool nudge = true;
  /// Where the workers of all pools run: "none" (the default), each begins on a core of its own, and the operating
  /// system moves it as it likes; or bound as a mapping says (treadle/topology.hpp): "packed", "compact", "scatter",
  /// "balanced", "numa-balanced", "numa-balanced-mtp". On the cores of the main thread's affinity mask, also when that
  /// changes. --treadle:bind, TREADLE_BIND.
  std::string bind = {};
  worker_hooks hooks = {};
  /// Counters to print when the runtime ends, and every so often before: names or patterns
  /// (treadle/observe/counters.hpp). With several runtimes at a time, those of the one started last.
  /// --treadle:print-counter, any number of times; TREADLE_PRINT_COUNTER, separated by ';'.
  std::vector<std::string> print_counters = {};
  /// How often, in ms; 0: only at the end. --treadle:print-counter-interval, TREADLE_PRINT_COUNTER_INTERVAL.
  unsigned print_counter_interval_ms = 0;
  /// "stdout" (the default), "stderr", "none" or the name of a file, which is written anew by the first runtime of the
  /// process. --treadle:print-counter-destination, TREADLE_PRINT_COUNTER_DESTINATION.
  std::string print_counter_destination = {};
  /// "text" (the default), "csv" or "json", an object per line. --treadle:print-counter-format,
  /// TREADLE_PRINT_COUNTER_FORMAT.
  std::string print_counter_format = {};
  /// Print what counters there are when the runtime starts. --treadle:list-counters, TREADLE_LIST_COUNTERS=1.
  bool list_counters = false;

  /// Print what knobs there are when the runtime starts (treadle/tune/knob.hpp). --treadle:list-knobs,
  /// TREADLE_LIST_KNOBS=1. Any knob, of the runtime or of the program, is set by --treadle:knob=NAME=VALUE, any number
  /// of times, or TREADLE_KNOB='NAME=VALUE;...'; then sessions leave it alone.
  bool list_knobs = false;

  /// When the process exits, how long the default runtime waits for tasks that are blocked, while no task runs and none
  /// sleeps; then their stacks are abandoned, and set_exit_report() says which they are. 0: 2000.
  /// --treadle:exit-deadline, TREADLE_EXIT_DEADLINE.
  unsigned exit_deadline_ms = 0;

  /// How places that use launch::adaptive decide, unless the program has called use_inlining_policy(). Of the whole
  /// process, and stays when the runtime ends. --treadle:inlining, TREADLE_INLINING.
  std::optional<inlining_policy> inlining = {};
  /// Print to stderr, when the runtime ends, what was decided for these places and why. --treadle:explain,
  /// TREADLE_EXPLAIN=1.
  bool explain = false;
  /// Begin with what earlier runs have decided, and leave it to later ones, as remember_decisions() does
  /// (treadle/tune/tuning_store.hpp), in this file; "": the standard one. --treadle:remember[=FILE], TREADLE_REMEMBER=1
  /// or a file. Of the whole process, and the first runtime's counts.
  std::optional<std::string> remember = {};

  /// Where to write, when the runtime ends, what its tasks have done by name (treadle/observe/profile.hpp): "stderr",
  /// "stdout", or a file, FILE.csv or FILE.txt. Nothing has to be recorded for that. --treadle:profile[=FILE],
  /// TREADLE_PROFILE=1 or a file.
  std::string profile_file = {};
  /// A Unix socket on which all counters are served to this user in the OpenMetrics format (counters::open_metrics) as
  /// long as the runtime exists: `curl --unix-socket FILE.sock http://any/metrics`. --treadle:metrics=FILE.sock,
  /// TREADLE_METRICS.
  std::string metrics_socket = {};
  /// Files that a trace of everything until the runtime ends is written to: .json for Perfetto, .dot, .txt, .csv,
  /// .tasks (treadle/observe/trace.hpp). --treadle:trace, any number of times; TREADLE_TRACE, separated by ';'.
  std::vector<std::string> trace_files = {};
  /// Records that are kept per thread; 0: 262144. --treadle:trace-records, TREADLE_TRACE_RECORDS.
  std::size_t trace_records = 0;

  /// Takes every --treadle: option out of the arguments and leaves the rest in place, for programs whose own parser
  /// would refuse them. Throws std::invalid_argument naming an option that is unknown or has an unusable value.
  [[nodiscard]] static runtime_options from_arguments(int& argc, char** argv);
};

/// What a runtime did so far. Sums over its workers, read without stopping them.
struct runtime_statistics {
  std::uint64_t tasks_created = 0;  ///< queued by async, dataflow, then, promoted forks
  std::uint64_t tasks_inlined = 0;  ///< of these, run in place by a get() that came first
  std::uint64_t tasks_stolen = 0;   ///< taken from another worker
  std::uint64_t forks_promoted = 0; ///< latent halves of parallel_invoke that became tasks
  std::uint64_t suspensions = 0;    ///< fibers that really blocked
  std::uint64_t parks = 0;          ///< times a worker went to sleep
  std::uint64_t stacks = 0;         ///< task stacks that exist now
};

/// Gets what the library has to say unasked, as the process ends: which tasks are blocked for good, that a task
/// returned in the child of a fork(), or that a value was given to a knob that the program does not have. The default
/// writes it to stderr; null: nobody. Returns the one before. Any thread.
using exit_report = void (*)(const char* message);
exit_report set_exit_report(exit_report report) noexcept;

namespace detail {
class scheduler;
}

/// A set of workers that execute tasks. Construct one to choose its options, any number of times per process; when
/// tasks are created and there is none, a default one is started and lives until the process exits.
///
/// Construction takes well under a millisecond. The destructor waits for all tasks in flight, then joins the workers;
/// it must run outside the runtime's own tasks. The child of a fork() has none, and starts a default one when it
/// creates tasks; objects that it has from its parent do nothing. In the child of a fork() inside a task, which can
/// only exec or _exit, whatever needs a runtime throws std::system_error (operation_not_permitted). With several at
/// once, tasks stay in the runtime of the task that creates them; threads outside use the one started last.
class runtime {
 public:
  explicit runtime(runtime_options options = {});
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Those of the default pool.
  unsigned workers() const noexcept;
  /// At most this many workers are active at a time from now on, in all pools together: 0 to max_concurrency(). Others
  /// go off duty when their task ends, forks, loops or waits, and leave their work to those that stay; with 0, tasks
  /// wait, and so do threads that wait for them. Each pool keeps one worker as long as n is enough for that, pools that
  /// cannot borrow one first; the rest is shared out by the sizes of the pools. A pool that lends and has no worker
  /// gets one when another pool has nothing to do. Workers that are in a blocking_region do not count. Any thread may
  /// call, also inside tasks; takes microseconds and waits for nobody. Throws std::invalid_argument beyond the maximum,
  /// and where a pool that cannot borrow would be left without a worker, unless n is 0.
  void set_concurrency(unsigned n);
  /// What was set, bounded by what the process may use at the moment (runtime_options::workers).
  unsigned concurrency() const noexcept;
  /// The workers of all pools.
  unsigned max_concurrency() const noexcept;
  /// At most this many workers may be active in this pool from now on, whatever the others have; all of its workers are
  /// no limit, and it may borrow more; 0 suspends it: its tasks stay where they are. Throws std::invalid_argument when
  /// there is no such pool, or beyond its workers; std::system_error (device_or_resource_busy) when it would suspend a
  /// pool that has tasks.
  void set_concurrency(std::string_view pool, unsigned n);
  /// The pool has this many of the workers from now on; what it gains comes from the pool "default", what it loses goes
  /// there, and that keeps one at least. Workers change as in set_concurrency(), and are bound anew. 0: the pool
  /// "default" runs the tasks that are sent to the pool from now on, so that there is one pool less, as long as neither
  /// has a limit; tasks which these make are the default pool's. Throws std::invalid_argument when there is no such
  /// pool, when there are not this many, when one of the two has hardware threads of its own, and for 0, when one of
  /// them does not lend workers or has smaller stacks.
  void resize_pool(std::string_view pool, unsigned n);
  /// Workers of all pools run from now on where this says, "none" or the name of a mapping, as runtime_options::bind
  /// has it. A worker goes to its place when it next looks for work. Any thread; waits for nobody, but the first
  /// mapping of the process reads the topology, which takes milliseconds. Throws std::invalid_argument that lists the
  /// names.
  void set_binding(std::string_view name);
  std::string binding() const;
  std::size_t stack_bytes() const noexcept;
  runtime_statistics statistics() const noexcept;

  /// Blocks until no task is queued, running or suspended. Tasks may be created meanwhile; returns at a moment when
  /// there was none. Call from outside the runtime: throws std::system_error (resource_deadlock_would_occur) inside its
  /// tasks.
  void wait_idle();

  /// Ends the runtime as the destructor does, but does not wait for ever: when, for `deadline_ms`, no task has run or
  /// was about to, none sleeps, and some are blocked, these are left as they are, with whatever is on their stacks.
  /// They are returned, a line for each kind: "  name (3 times)"; an empty text when all has ended. Afterwards there
  /// are no workers, and tasks use another runtime; a second call, or one at the same time, waits for the first and
  /// returns nothing. A task in a blocking_region or in a system call runs, and is waited for. Call from outside the
  /// runtime: throws std::system_error (resource_deadlock_would_occur) inside its tasks.
  [[nodiscard]] std::string stop(unsigned deadline_ms);

  /// The runtime that tasks created here would use; starts the default one when there is none.
  static runtime& current();
  /// The same without starting one: null when there is none.
  static runtime* current_or_null() noexcept;

 private:
  friend class detail::scheduler;
  struct parts;
  void withdraw() noexcept; // from those that tasks may use
  bool wait_idle_until(std::int64_t deadline_ns);
  bool is_here() const noexcept; // not stopped, and of this process
  void refuse_inside(const char* what) const;
  std::string end_within(std::int64_t deadline_ns);
  bool drains_within(std::int64_t deadline_ns);
  std::uint64_t tasks_created() const noexcept;
  void conclude() const;    // tells and keeps what was decided
  parts* m_parts = nullptr; // as long as this object, for those who ask while it is stopped
};

} // namespace treadle
