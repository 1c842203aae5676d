#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Which worker of a pool runs a task, and when.
enum class scheduling : unsigned char {
  /// Each worker runs the newest of the tasks that it has made; who has none takes the oldest of another one.
  work_stealing,
  /// Tasks are queued with the workers by turns. Each runs the oldest of its own by priority; who has none takes the
  /// oldest of another one. A get() waits, where it would run the task in place, as in the following three.
  local_priority_fifo,
  local_priority_lifo, ///< the same with the newest of its own
  /// As local_priority_fifo, but nobody takes from others, unless these are off duty, and no workers are lent or
  /// borrowed.
  static_placement,
  shared_priority, ///< one queue for all workers: the oldest, by priority
  /// The task goes first behind which lies the longest path of work, as far as that is known: it is learned while the
  /// program runs, from what tasks depend on each other and how long they take, or given (bottom_level). A worker looks
  /// at its own tasks and those of another one.
  critical_path
};
/// "work-stealing", "local-priority-fifo", "local-priority-lifo", "static", "shared-priority",
/// "critical-path".
std::string_view to_string(scheduling policy) noexcept;
/// By its name. Throws std::invalid_argument that lists the names.
scheduling scheduling_from_name(std::string_view name);

/// Workers of a runtime with tasks of their own, for pool_executor.
struct pool {
  /// 1 to 15 letters, digits, '-' and '_'. All runtimes have a pool "default", which is where tasks go that name none;
  /// it may be described like any other.
  std::string name = {};
  /// 0: one for each of its hardware threads. The pool "default" has runtime_options::workers then, else as many as
  /// the process may keep busy beside the pools that have hardware threads of their own.
  unsigned workers = 0;
  scheduling policy = scheduling::work_stealing;
  /// Hardware threads, by the numbers of the operating system, and NUMA domains of which it has all: its workers run
  /// there and nowhere else. Neither: on those that belong to no other pool.
  std::vector<unsigned> cpus = {};
  std::vector<unsigned> domains = {};
  std::size_t stack_bytes = 0; ///< 0: runtime_options::stack_bytes
  /// It neither lends its workers, when they have nothing to do, nor borrows those of others; nobody else has its
  /// hardware threads.
  bool exclusive = false;
};

/// The pools of a runtime, in the order in which they get hardware threads. A value.
class pools {
 public:
  pools() = default;
  /// "io:1,critical:4:policy=static:cpus=0-3+8:exclusive": a name, and in any order what is said of the pool: a number
  /// of workers, policy=NAME, cpus=LIST, domains=LIST, stack-bytes=N, exclusive. Throws std::invalid_argument that
  /// names what is wrong.
  pools(std::string_view text);
  pools(const char* text) : pools(std::string_view(text)) {}
  pools(const std::string& text) : pools(std::string_view(text)) {}

  /// Throws std::invalid_argument when the name is none, or another pool's.
  pools& add(pool one);
  const std::vector<pool>& list() const noexcept { return m_list; }
  bool empty() const noexcept { return m_list.empty(); }

 private:
  std::vector<pool> m_list;
};

} // namespace treadle
