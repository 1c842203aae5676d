#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/task_name.hpp>

namespace treadle::detail {

class job;
class promoted_task;
class latent_work;
class latent_promotion;
class worker;
struct running_path;
class running_sample;

/// A task that a stack is executing, and the one that it was called from.
struct running_task {
  const job* task;
  running_task* outer;
  running_sample* sample; ///< null when it is not measured
};

/// What is known of a stack that runs tasks, above all the work on it that nobody has started yet and that others may
/// be given, newest first. Belongs to the stack, so to whichever worker runs it: no atomics. A signal handler on the
/// same thread may walk it between any two instructions (docs/design/latent-forks.md).
struct task_stack {
  latent_work* newest = nullptr;
  const atomic<std::uint64_t>* hungry = nullptr; ///< not zero while some worker looks for work
  worker* runner = nullptr;                      ///< who runs the stack
  running_task* running = nullptr;               ///< the innermost task on the stack
  const void* limit = nullptr;                   ///< lowest usable address
  running_path* paths = nullptr;                 ///< see task/priority/task_paths.hpp
  // For the profile (task/counters/task_samples.hpp):
  std::uint32_t until_sample = 1;   ///< tasks that start on it until one of them is measured, that one included
  std::uint32_t sample_weight = 1;  ///< how many tasks that one stands for
  std::uint32_t samples = 0;        ///< tasks on it that are being measured
  std::int64_t suspended_ticks = 0; ///< while there were any
};

} // namespace treadle::detail

/// The stack that this thread runs, null on foreign threads; this_task_stack() reads it.
extern "C" [[gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::task_stack* treadle_task_stack;

namespace treadle::detail {

#if defined(__x86_64__)
/// Reads the thread-local variable anew at every call, in two instructions. A compiler may otherwise keep the address
/// of a thread-local across a call, and after a suspension the fiber may run on another thread.
inline task_stack* this_task_stack() noexcept {
  task_stack* current;
  asm volatile("movq treadle_task_stack@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(current));
  return current;
}
#else
task_stack* this_task_stack() noexcept; // never inlined, for the same reason
#endif

/// How many there are in the pool of the calling worker.
unsigned pool_workers() noexcept;

/// Orders plain accesses for a signal handler on the same thread; no instruction.
inline void signal_fence() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// What a kind of latent work can do for the runtime.
struct latent_kind {
  /// Moves the work, or the upper half of it unless `all`, into `task`; false when there is nothing to give. Called by
  /// the worker that runs the stack, also in a signal handler: no allocation, no locks.
  bool (*promote)(latent_work& work, promoted_task& task, bool all) noexcept;
  /// Does what was moved into the task. May throw.
  void (*run)(promoted_task& task);
  task_name name;
};

/// A record on the stack of the task that could be helped: the pending half of a fork, or the rest of a loop. As long
/// as nobody is hungry it costs a few stores to publish and one to take back; only when some worker looks for work is
/// the *oldest* record of the stack exposed as a task that others can steal.
class latent_work {
 public:
  explicit latent_work(const latent_kind& kind) noexcept : m_kind(&kind) {}
  latent_work(const latent_work&) = delete;
  latent_work& operator=(const latent_work&) = delete;

  /// Adds the record to the calling stack's list, and promotes when somebody is hungry. Returns what unlink() needs:
  /// kept in a register it saves the next fork from waiting for this record's memory.
  latent_work* link(task_stack& current) noexcept {
    latent_work* const older = current.newest;
    m_older = older;
    signal_fence();
    current.newest = this;
    if (TREADLE_UNLIKELY(current.hungry->load(order::relaxed) != 0)) promote_oldest(current);
    return older;
  }
  /// In reverse order of linking. True: the work is still all here. False: it was promoted as a whole.
  bool unlink(task_stack& current, latent_work* older) noexcept {
    current.newest = older;
    signal_fence(); // a handler either finds the record in the list, and the next line sees what it did, or it does not
    return TREADLE_LIKELY(m_kind != nullptr);
  }

 protected:
  friend class latent_promotion;

  static void promote_oldest(task_stack& current) noexcept;

  const latent_kind* m_kind; // null when promoted as a whole
  latent_work* m_older;
};

/// The pending half of a fork. One that is promoted has to be joined.
class latent_fork : public latent_work {
 public:
  explicit latent_fork(const latent_kind& kind) noexcept : latent_work(kind) {}

  /// Waits for the promoted half, or runs it here when nobody has started it; rethrows what it threw.
  void finish();
  /// When the first half threw: unlinks and sees to it that the second one runs, whatever it throws.
  void finish_unwinding(task_stack& current, latent_work* older) noexcept;

  static bool promote(latent_work& work, promoted_task& task, bool all) noexcept;
  /// The fork whose second half the task is.
  static latent_fork& of(promoted_task& task) noexcept;

 private:
  promoted_task* m_task; // when promoted: holds a reference
};

} // namespace treadle::detail
