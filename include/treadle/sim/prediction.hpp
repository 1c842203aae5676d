#pragma once

#include <treadle/pools.hpp>
#include <treadle/topology.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// How long a program would take with other workers, pools, schedules, on another machine: a simulation of its tasks,
/// which were recorded (trace::save("x.tasks")) or are made by a generator. docs/design/simulation.md says what is
/// modelled and what is not. All times in ns of simulated time. The same input gives the same result, bit for bit.
namespace treadle::sim {

class graph; // src/sim/graph.hpp

/// The tasks of a program, and who depends on whom. A value that is cheap to copy.
class workload {
 public:
  /// From a file that a trace has written. Throws std::invalid_argument that names file and line, also when the
  /// recording is not whole; std::system_error when it cannot be read.
  static workload from_file(const std::string& file);
  /// "cholesky:t=32,r=10", "merge-sort:n=100000,cutoff=64", "fib:n=20,cutoff=8", "stencil:width=64,steps=50": a
  /// generator and what it makes (docs/guide/predict.md has all). Throws std::invalid_argument that names what is
  /// wrong.
  static workload generated(std::string_view description);
  static bool is_description(std::string_view text) noexcept;

  explicit workload(std::shared_ptr<const graph> tasks) noexcept : m_graph(std::move(tasks)) {}

  std::size_t tasks() const noexcept;
  double work_ns() const noexcept;          ///< of all tasks together
  double critical_path_ns() const noexcept; ///< the longest chain, threads outside of the runtime included
  double recorded_ns() const noexcept;      ///< what the recorded run took; 0 when there was none
  std::uint64_t unknown() const noexcept;   ///< waits and inputs of the program that are not in the graph
  std::vector<std::string> sites() const;

  const graph& details() const noexcept { return *m_graph; }

 private:
  std::shared_ptr<const graph> m_graph;
};

/// Which of the tasks that are ready goes first.
enum class order : unsigned char {
  natural,      ///< as the pool's scheduling policy has it
  fifo,         ///< the oldest
  lifo,         ///< the newest
  random,       ///< any
  marked,       ///< those of critical sites, then as the policy has it
  bottom_level, ///< the one with the longest chain behind it, which the simulator knows
  learned       ///< the same as a pool of the policy critical-path learns it
};
std::string_view to_string(order which) noexcept;
/// Throws std::invalid_argument that lists the names.
order order_from_name(std::string_view name);

/// What the runtime takes for what it does.
struct cost_table {
  double create_ns = 0;       ///< a task, paid by who makes it
  double input_ns = 0;        ///< each input of a node, paid by who makes it
  double fork_ns = 0;         ///< half of a fork, or a part of a loop, with what takes it back
  double promote_ns = 0;      ///< to make a task of that, when it is stolen
  double pop_ns = 0;          ///< to take a task from the own queue, run it and forget it
  double in_place_ns = 0;     ///< the same where a wait runs it as a call
  double steal_local_ns = 0;  ///< from a worker of the same domain
  double steal_remote_ns = 0; ///< of another domain, for each unit of its relative distance; of 2 where none is known
  double failed_steal_ns = 0; ///< a look that finds nothing
  double search_ns = 0;       ///< how long a worker looks for work before it sleeps
  double wake_ns = 0;         ///< until one that sleeps goes on
  double notify_ns = 0;       ///< to wake it, paid by who does
  double switch_ns = 0;       ///< to leave a stack that waits; the same again to go on with it
  double stack_ns = 0;        ///< to get a stack and give it back, when more are left than are kept
  double stacks_kept = 0;     ///< for each worker
  double continuation_ns = 0; ///< each successor that is told, paid by who completes
  double per_worker_ns = 0;   ///< each task that is queued, for each worker of its pool
};
/// "none", "treadle" (measured), "hpx". Throws std::invalid_argument that lists the names.
cost_table costs_from_name(std::string_view name);

/// What a described machine can do.
struct machine {
  topology shape;
  double core_speed = 1;    ///< relative to the one that was recorded
  double smt_gain = 0.25;   ///< what each further busy hardware thread adds to a core's speed
  double bandwidth_gbs = 0; ///< of the memory of each domain, in GB/s, shared by those who use it; 0: never short
  /// Of a core: a task with no more bytes needs memory only when its worker has taken it from a queue not its own.
  std::int64_t cache_bytes = 0;
};

/// How the tasks are run. Those of critical sites go to the pool "critical" where there is one, all others to the pool
/// "default", or to the last one.
struct schedule {
  std::vector<pool> pools;           ///< name, workers, policy, exclusive; none: one, of all hardware threads
  std::vector<std::string> critical; ///< parts of the names of sites
  order which = order::natural;
  treadle::mapping mapping = treadle::mapping::packed;
  bool spawn_calls = false; ///< what ran where it was made (launch::sync, inlined) becomes a task of its own
  /// Which tasks run where they are made, or where their last input completes, decided for each site by what its
  /// executions took: "" (as recorded), "always", "never", "paper-baseline" or "paper-baseline:LOWER:UPPER" in us
  /// (Wagle et al., ICPP 2019, Algorithm 1), "paper-adaptive" (Algorithm 2), "by-cost" (what the policy adaptive begins
  /// with: a task costs 5 %). Tasks that nobody in the recording has made stay tasks.
  std::string inlining;
  std::uint64_t seed = 0;
};

/// Tasks between two moments, together.
struct waiting {
  std::uint64_t tasks = 0;
  double staged_ns = 0;  ///< made, with inputs missing
  double pending_ns = 0; ///< ready, not started
};

struct prediction {
  double makespan_ns = 0;
  double lower_bound_ns = 0; ///< the greater of work / all workers and critical path, at the speeds of the machine
  struct worker {
    unsigned pool;
    unsigned unit; ///< index in topology::units
    double busy_ns = 0, overhead_ns = 0, idle_ns = 0;
    std::uint64_t tasks = 0, steals = 0, borrowed = 0; ///< borrowed: tasks of another pool
    std::uint64_t looks = 0, missed_looks = 0;         ///< at queues of tasks; those that found nothing
  };
  std::vector<worker> workers;
  std::vector<std::string> pools;
  std::vector<waiting> pool_waits; ///< by the pool that a task belongs to
  waiting critical, others;
  std::uint64_t suspensions = 0, in_place = 0, inlined = 0;
};

/// Throws std::invalid_argument that says what does not fit, and std::runtime_error when the schedule cannot go on.
prediction predict(const workload& program, const machine& on, const schedule& how, const cost_table& costs);

} // namespace treadle::sim
