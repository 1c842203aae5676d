#pragma once

#include "base/rng.hpp"
#include "observe/emit.hpp"
#include "task/counters/phase_clock.hpp"
#include "task/counters/queue_stamps.hpp"
#include "task/idle/work_search.hpp"
#include "task/latent/latent_promotion.hpp"
#include "task/queue/deque.hpp"
#include "task/queue/injected_jobs.hpp"
#include "task/queue/ordered_jobs.hpp"
#include "task/worker/stack_switch.hpp"
#include "task/worker/stale_entries.hpp"
#include "task/worker/steal_balance.hpp"
#include "topology/steal_order.hpp"

#include <treadle/detail/future_state.hpp>
#include <treadle/detail/latent.hpp>
#include <treadle/detail/waiter.hpp>

#include <memory>

namespace treadle::detail {

class scheduler;

/// One OS thread of a runtime: takes jobs from the queues and runs them, or looks for some, or sleeps. Its parts have
/// their own jobs: how it searches and sleeps, the stacks, the latent work on them, what is measured, whether steals
/// pay, entries that are stale.
///
/// Everything here is for the owning thread unless it says otherwise. Code that may suspend must fetch this_worker()
/// again afterwards.
class worker : public work_search<worker> {
 public:
  /// One of at most `capacity` in its pool; `number` is its own among all pools.
  worker(scheduler& owner, unsigned index, unsigned number, unsigned capacity);

  /// Body of the OS thread; returns when the scheduler is told to exit.
  void thread_main();
  static void fiber_main(fiber& self, fiber& previous); ///< what every task fiber runs

  /// Queues a job here and wakes a worker to help (idle_workers::notify_work); on top of others it is a backlog.
  void push(job& item) noexcept;
  /// The same for a new task, which is counted as created. Sees to it that entries of tasks which others have run in
  /// place do not fill the queue; that may suspend.
  void push_new(job& task) noexcept;
  /// Without waking anybody. How many there are now; 0 when there was no memory and somebody may have been woken for
  /// it.
  std::int64_t queue(job& item) noexcept;

  /// From get(): takes the entry of `task` off the queue if that is the newest, so that it can be run in place.
  bool take_newest(const future_state& task) noexcept;
  /// From get(), otherwise: runs `task` in place when nobody has started it. May suspend.
  TREADLE_NOINLINE void run_in_place(future_state& task, sharing s);
  /// A task is about to be executed here, or to go on, until it ends or suspends.
  void begin_phase(job& item) noexcept {
    if (phases.begin(item)) begin_sample();
  }
  void end_phase() noexcept { phases.end(stacks.current().tasks); }
  /// What it has just taken from a queue is critical.
  void begin_critical() noexcept { phases.next_is_critical(); }

  /// See ready_to_block() and prepare_to_block().
  bool can_suspend() const noexcept {
    return !stacks.current().tasks.newest && stacks.has_idle() && !callback_scope::is_inside();
  }
  /// Throws std::bad_alloc or std::system_error where there is no stack to go on with, and std::system_error
  /// (resource_deadlock_would_occur) inside of a listener or rule: it runs in the middle of the worker's work.
  void prepare_to_suspend() {
    if (TREADLE_UNLIKELY(!can_suspend())) get_idle_stack();
  }
  /// Leaves the current stack and goes on with an idle one, there running `publish` (see waiter::block).
  void suspend(waiter& who, bool (*publish)(void*), void* argument);
  /// See waiter::block_releasing.
  void suspend_releasing(waiter& who, spinlock& lock) noexcept;

  /// The calling task is about to block in the operating system, or to wait elsewhere, for a while: makes tasks of its
  /// latent work, and lets another worker have the slot (slots::lend()). Ends where the task suspends. False when it
  /// has done so already.
  bool begin_blocking() noexcept;
  /// Unless it has ended.
  void end_blocking() noexcept;

  /// The calling task is about to run another one in place: it blocks no more, and where too many workers are active
  /// its stack is left to another one: may suspend. True when the caller may be on another worker.
  bool makes_way() noexcept;
  /// Makes a task of the oldest latent work of the stack that runs, unless there is something to steal already. Where
  /// too many workers are active the stack is left instead, for another worker: may suspend.
  void promote_oldest(task_stack& current) noexcept;

  /// On the cores of the process, unless it is there already.
  void take_place() noexcept;
  /// Whom it asks first for work, and wakes first. By this worker.
  const steal_order& near() const noexcept { return m_near; }
  /// See concurrency::look_at_cores().
  void look_at_cores() noexcept;

  scheduler& owner() const noexcept { return m_scheduler; }
  unsigned index() const noexcept { return m_index; }
  unsigned number() const noexcept { return m_number; }
  unsigned worker_count() const noexcept; ///< that may be active, at least one

  deque tasks; // push and pop by the owner, steal by anybody
  bool has_placed() const noexcept { return (placed && !placed->empty()) || (ordered && !ordered->empty()); }
  /// Something that others may take. Any thread.
  bool has_queued() const noexcept { return !tasks.empty() || latent.has_handed() || has_placed(); }
  std::uint64_t placed_size() const noexcept { return placed ? placed->size() : ordered ? ordered->size() : 0; }
  /// The next one of those, or of another worker as far as the policy has it; null, too, where there are none.
  job* pop_placed() noexcept;

  worker_counters counters;
  task_samples samples;
  phase_clock phases;
  atomic<int> thread_id{0};
  atomic<int> cpu{0}; // where it last looked for work, went to sleep, or woke somebody
  stack_switch stacks;
  stale_entries stale;
  latent_promotion latent;
  steal_balance steals;

 private:
  friend class work_search<worker>;
  static void scheduling_loop();
  // For work_search.
  job* next_nearby();
  job* next_by_path();
  job* pop_own() noexcept { return tasks.pop(); }
  job* look(std::int64_t ns);
  bool ask_busy() noexcept;
  search_times times() const noexcept;
  void run_timers() noexcept;
  bool is_quiet() const noexcept { return tasks.empty() && !latent.has_handed() && !m_places; }
  void begin_searching() noexcept;
  void end_searching() noexcept { counters.searching.end(ticks_now()); }
  bool sleep(std::int64_t ns, bool for_good);
  void wait_for_slot() noexcept;

  /// After steals that did not pay.
  void rest_if_due(std::int64_t now) noexcept;
  /// Too many are active, and its task can be left.
  bool is_asked_to_leave() const noexcept;
  /// Leaves the task that runs to another worker, and stands by, if nobody else is about to.
  void give_way() noexcept;
  void end_job() noexcept;
  void begin_sample() noexcept;
  /// run_in_place() while there may be stale entries.
  TREADLE_NOINLINE void run_among_stale(future_state& task, sharing s);
  /// The same for a task that is not the newest entry.
  TREADLE_NOINLINE void run_out_of_order(future_state& task);
  // The rest of push_new():
  TREADLE_NOINLINE void push_stamped(job& task) noexcept;
  TREADLE_NOINLINE void push_and_grow(job& task) noexcept;
  TREADLE_NOINLINE void note_pushed(std::int64_t size) noexcept;
  TREADLE_NOINLINE std::int64_t queue_stamped(job& item) noexcept;
  std::int64_t queue_in_deque(job& item) noexcept;
  void notify_pushed(std::int64_t size) noexcept;
  TREADLE_NOINLINE void get_idle_stack();

  scheduler& m_scheduler;
  const unsigned m_index, m_number;
  const bool m_places; // see scheduler::places_jobs()
  queue_stamps m_stamps;
  xorshift m_random;
  std::uint32_t m_looks = 0;  // at what is near
  std::uint32_t m_placed = 0; // see concurrency::place()
  steal_order m_near;

 public: // behind what every task touches
  /// Jobs that are queued with this worker by the policy of its pool; null where that queues them otherwise. Any
  /// thread.
  const std::unique_ptr<injected_jobs> placed;
  /// The same where the longest path goes first.
  const std::unique_ptr<ordered_jobs> ordered;
};

/// The worker that runs the caller; null on foreign threads. Not to be kept across a suspension: the caller may be on
/// another thread afterwards.
inline worker* this_worker() noexcept {
  const task_stack* current = this_task_stack();
  return current ? current->runner : nullptr;
}
/// The innermost task that the caller runs in; null outside of tasks.
inline const job* running_job() noexcept {
  const task_stack* current = this_task_stack();
  return current && current->running ? current->running->task : nullptr;
}
/// Whether the caller is in this task, or in one that it runs in place. False for null.
inline bool is_running_here(const job* task) noexcept {
  const task_stack* current = this_task_stack();
  for (const running_task* r = current ? current->running : nullptr; r; r = r->outer)
    if (r->task == task) return true;
  return false;
}
/// Counts where the caller runs; returns the number before.
inline std::uint64_t count(atomic<std::uint64_t> readiness_counts::* what, std::uint64_t by = 1) noexcept {
  if constexpr (!k_counts) return 1;
  worker* w = this_worker();
  if (!w) return (counted_outside.*what).fetch_add(by, order::relaxed);
  const std::uint64_t before = (w->counters.*what).load(order::relaxed);
  (w->counters.*what).store(before + by, order::relaxed);
  return before;
}
/// Throws std::system_error (resource_deadlock_would_occur) inside of a listener or rule: what it waits for may wait
/// for the end of the call.
void refuse_in_callback();
/// In this millisecond or the one before.
bool somebody_was_hungry_lately() noexcept;

} // namespace treadle::detail
