#pragma once

#include "base/rng.hpp"
#include "observe/emit.hpp"
#include "task/counters/task_samples.hpp"
#include "task/counters/worker_counters.hpp"
#include "task/engine/task_fiber.hpp"
#include "task/queue/deque.hpp"
#include "task/queue/injected_jobs.hpp"
#include "task/queue/ordered_jobs.hpp"
#include "topology/steal_order.hpp"

#include <treadle/detail/future_state.hpp>
#include <treadle/detail/latent.hpp>
#include <treadle/detail/waiter.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace treadle::detail {

class scheduler;

/// One OS thread of a runtime. It always runs exactly one fiber; each fiber executes the same scheduling loop, so a
/// fiber that blocks is simply left behind and another one from the pool goes on (docs/design/fibers.md).
///
/// Everything here is for the owning thread unless it says otherwise. Code that may suspend must fetch this_worker()
/// again afterwards.
class worker {
 public:
  /// One of at most `capacity` in its pool; `number` is its own among all pools.
  worker(scheduler& owner, unsigned index, unsigned number, unsigned capacity);
  ~worker();

  /// Body of the OS thread; returns when the scheduler is told to exit.
  void thread_main();

  /// Queues a job here and wakes a worker to help (idle_workers::notify_work); on top of others it is a backlog.
  void push(job& item) noexcept;
  /// The same for a new task, which is counted as created. Sees to it that entries of tasks which others have run in
  /// place do not fill the queue; that may suspend.
  void push_new(job& task) noexcept;

  /// From get(): runs `task` in place when nobody has started it. May suspend.
  void run_in_place(future_state& task, sharing s);

  /// See ready_to_block() and prepare_to_block().
  bool can_suspend() const noexcept {
    return !m_current->tasks.newest && !m_idle_fibers.empty() && !callback_scope::is_inside();
  }
  /// Throws std::bad_alloc or std::system_error where there is no stack to go on with, and std::system_error
  /// (resource_deadlock_would_occur) inside of a listener or rule: it runs in the middle of the worker's work.
  void prepare_to_suspend() {
    if (TREADLE_UNLIKELY(!can_suspend())) get_idle_fiber();
  }
  /// Leaves the current fiber and goes on with an idle one, there running `publish` (see waiter::block).
  void suspend(waiter& who, bool (*publish)(void*), void* argument);
  /// See waiter::block_releasing.
  void suspend_releasing(waiter& who, spinlock& lock) noexcept;

  /// Leaves the current fiber, which is in its scheduling loop, to the pool and goes on with `blocked`.
  void resume(task_fiber& blocked);

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
  /// Makes tasks of all latent work of the stack that runs, because it is about to be left.
  void promote_all(task_stack& current);
  /// Makes a task of (the part to be given away of, unless `all`) one record; false when it has nothing to give.
  bool promote(latent_work& record, bool all);
  /// What became of promoted work when its creator came back to it. As long as nobody takes any, the next promotions
  /// are put off.
  void note_promoted(bool stolen) noexcept;
  /// Before something that is worth promoting by measurement: the next promotion is not put off if somebody waits for
  /// it, or if waking somebody for it pays.
  void end_promotion_pause(bool worth_waking) noexcept;
  /// By another worker: asks for latent work by a signal, if this one is busy and was not asked just now. True when it
  /// was done.
  bool nudge() noexcept;
  /// In the signal handler, between any two instructions of this worker: hands over its oldest latent work.
  void answer_nudge(task_stack& current) noexcept;
  /// Takes what `other`, perhaps this worker itself, has handed over in its signal handler; null when there is nothing.
  job* accept_handed(worker& other) noexcept;
  bool has_handed() const noexcept { return m_handed.load(order::relaxed) != nullptr; }
  /// By the joiner of a task that may still be there, so that it does not look like something to steal.
  void take_back(promoted_task& task) noexcept;

  /// A phase is what a worker executes of one task at a stretch: from its start, or where it was suspended, to where it
  /// suspends or ends.
  void begin_phase(job& item) noexcept {
    if constexpr (!k_counts) return;
    counters.phases.increment_unshared();
    m_in_phase = true;
    if (TREADLE_UNLIKELY(item.queued_at != 0)) end_wait(item);
    if (TREADLE_UNLIKELY(m_phases_to_sample <= 0)) begin_sample();
  }
  void end_phase() noexcept {
    if (!k_counts || !m_in_phase) return; // it was suspended
    m_in_phase = false;
    if (TREADLE_UNLIKELY(m_is_critical)) end_critical();
    if (TREADLE_UNLIKELY(--m_phases_to_sample <= 0)) continue_sample();
  }
  /// What it has just taken from a queue is this task, which is about to start: its wait has a name then.
  void name_wait(const job& task) noexcept {
    if (k_counts && TREADLE_UNLIKELY(m_waited_before == counters.phases.load(order::relaxed))) add_named_wait(task);
  }
  /// The queue entry was stale: its task had been run in place. Also where no phase was begun for it.
  void void_phase() noexcept;
  /// How many tasks this worker has taken from another one.
  const atomic<std::uint64_t>& stolen_from(unsigned other) const noexcept { return m_stolen_from[other]; }
  /// What it has just taken from a queue is critical: the next phase is measured.
  void begin_critical() noexcept { m_is_critical = k_counts; }
  /// This worker has just taken a task from it.
  void note_steal(const worker& victim) noexcept;

  /// On the cores of the process, unless it is there already.
  void take_place() noexcept;
  /// Whom it asks first for work, and wakes first. By this worker.
  const steal_order& near() const noexcept { return m_near; }
  /// See concurrency::look_at_cores().
  void look_at_cores() noexcept;

  /// Its task is between begin_blocking() and end_blocking(). Any thread.
  bool lends() const noexcept { return m_lends.load(order::relaxed); }
  scheduler& owner() const noexcept { return m_scheduler; }
  unsigned index() const noexcept { return m_index; }
  unsigned number() const noexcept { return m_number; }
  unsigned worker_count() const noexcept; ///< that may be active, at least one
  task_fiber& current_fiber() const noexcept { return *m_current; }

  deque tasks; // push and pop by the owner, steal by anybody
  bool has_placed() const noexcept { return (placed && !placed->empty()) || (ordered && !ordered->empty()); }
  std::uint64_t placed_size() const noexcept { return placed ? placed->size() : ordered ? ordered->size() : 0; }
  /// The next one of those, or of another worker as far as the policy has it; null, too, where there are none.
  job* pop_placed() noexcept;
  /// There is no thread for it yet. Any thread.
  void stay_away() noexcept { m_off_duty.store(true, order::relaxed); }
  /// It will not look at its queues for a while: it is off duty, or its task blocks in the operating system. Any
  /// thread.
  bool is_away() const noexcept { return m_off_duty.load(order::relaxed) || lends(); }
  worker_counters counters;
  task_samples samples;
  atomic<int> thread_id{0};
  atomic<bool> looks_for_work{true};
  atomic<int> cpu{0}; // where it last looked for work, went to sleep, or woke somebody

  static void fiber_main(fiber& self, fiber& previous); ///< what every task fiber runs

 private:
  static void scheduling_loop();
  /// Blocks until there is something to do; null when the runtime stops.
  job* next_job();
  /// What it has itself, and what is nobody's own; null when there is nothing.
  job* next_nearby();
  /// Null when the runtime stops, or too many are active.
  job* search();
  job* search_or_sleep();
  /// From now on others may rely on a nudge, and need somebody who watches.
  void look_busy() noexcept;
  /// Has no slot any more; sleeps until it is handed one.
  void stand_by() noexcept;
  /// Too many are active, and its task can be left.
  bool is_asked_to_leave() const noexcept;
  /// Leaves the task that runs to another worker, and stands by, if nobody else is about to.
  void give_way() noexcept;
  void end_job() noexcept;
  /// When the last steals took much longer than the tasks, their victim had better be left alone for a while.
  void rest_from_vain_steals(std::int64_t now) noexcept; // in ticks: when it ran out of work
  /// Looks at all queues, again and again for so long or until the runtime stops.
  job* look(std::int64_t ns);
  /// The newest entry whose task was not run in place; may suspend, and says on which worker it was popped.
  static job* pop_live(worker*& here);
  /// run_in_place() while there may be such entries.
  TREADLE_NOINLINE void run_among_stale(future_state& task, sharing s);
  /// The same for a task that is not the newest entry, which is put back.
  TREADLE_NOINLINE void run_out_of_order(future_state& task, job* top);
  /// Without waking anybody. How many there are now; 0 when there was no memory and somebody may have been woken for
  /// it.
  std::int64_t queue(job& item) noexcept;
  std::int64_t queue_inline(job& item) noexcept;
  TREADLE_NOINLINE bool stamp(job& item) noexcept;
  /// From one job that is stamped to the next; by chance, because tasks come in turns.
  std::uint32_t stamp_gap() noexcept { return 1 + m_random.below(2 * k_queued_per_stamp - 1); }
  /// Drops the entries of tasks that were run in place, wherever they are among those that this worker can take.
  /// Destructors of what the tasks hold may suspend: nothing of this worker may be used afterwards.
  TREADLE_NOINLINE void drop_stale() noexcept;
  /// The same when the deque has grown to `size`, if so many tasks were run in place meanwhile that it may be worth it.
  TREADLE_NOINLINE void drop_stale_of_others(std::int64_t size) noexcept;
  /// The same with `ordered`, when it has grown: others may run in place what this worker only makes. May suspend.
  void sweep_ordered() noexcept;
  promoted_task* take_handed() noexcept;
  void end_wait(job& item) noexcept;
  [[gnu::cold]] void add_named_wait(const job& task) noexcept;
  void end_critical() noexcept;
  void begin_sample() noexcept;
  void continue_sample() noexcept;
  TREADLE_NOINLINE void get_idle_fiber();
  void leave_stack(waiter& who, bool (*publish)(void*), void* argument) noexcept;
  bool helps_others(bool for_good) noexcept;
  void count_stack_use(const task_fiber& suspended) noexcept;
  /// From now on this worker runs `next`, as soon as it is switched to.
  void set_current(task_fiber& next) noexcept;
  /// Moves a record's work into a task; false when it has nothing to give.
  bool fill(promoted_task& task, latent_work& record, bool all) noexcept;
  /// Calls give(record) for the records of a stack, the oldest first, until it returns true.
  template <class Give>
  bool give_oldest(task_stack& current, Give give);
  /// Runs on the new stack after every switch.
  static void after_switch() noexcept;

  scheduler& m_scheduler;
  const unsigned m_index, m_number;
  const bool m_places; // see scheduler::places_jobs()
  xorshift m_random;
  std::unique_ptr<atomic<std::uint64_t>[]> m_stolen_from; // by worker
  std::uint32_t m_ticks = 0;
  // A sample: the end of one phase, the beginning of the next and its end.
  std::int64_t m_phases_to_sample = 1;
  std::int64_t m_phases_per_sample = 1;
  std::int64_t m_phase_ended = 0;         // in ticks; 0 when the worker has looked for work since
  std::int64_t m_sampled_phase_began = 0; // in ticks; 0 when this phase is no sample
  std::uint64_t m_phases_sampled_to = 0;
  std::int64_t m_management_ticks = 100; // before a phase, on average
  bool m_in_phase = false;
  bool m_is_critical = false;        // the phase
  std::int64_t m_critical_began = 0; // in ticks
  std::uint32_t m_jobs_to_stamp = 1, m_stamp_gap = 1;
  std::int64_t m_stamped_at = 0;         // in ticks
  std::uint64_t m_inlined_at_sample = 0; // of the phase
  std::int64_t m_waited = 0;             // in ticks, before the last phase for which it was measured ...
  std::uint64_t m_waited_before = 0;     // ... whose number is this
  std::uint64_t m_suspensions_before = 0;
  std::int64_t m_stole_at = 0;      // in ticks; 0 when what it found last was not stolen
  std::int64_t m_steal_ticks = 256; // what a steal costs the thief, on average
  std::int64_t m_vain_ticks = 0;    // what the last steals cost more than they were worth
  const worker* m_victim = nullptr; // the latest ...
  std::uint64_t m_victim_ran = 0;   // ... how many tasks it had run itself by then ...
  bool m_victim_waits = false;      // ... and whether it does nothing else than wait for what is taken from it
  std::uint32_t m_stale = 0;        // at most: tasks run in place out of order, whose entries are still in the deque
  std::uint32_t m_out_of_order = 0; // the same, wherever the entries are, since they were last looked for everywhere
  static constexpr std::int64_t k_sweep_min = 256;
  std::int64_t m_sweep_at = k_sweep_min;   // entries in the deque
  std::uint64_t m_inlined_before = 0;      // tasks that the pool had run in place when it was last that large
  std::optional<fiber> m_thread;           // the OS thread's own stack, while the thread runs
  exception_state* m_exceptions = nullptr; // of that thread
  task_fiber* m_current = nullptr;
  std::vector<task_fiber*> m_idle_fibers;
  bool m_begins = true; // it has come on duty, and found nothing to do yet
  atomic<bool> m_off_duty{false};
  bool m_promotes = false;    // the signal handler must not
  std::uint32_t m_placed = 0; // see concurrency::place()
  steal_order m_near;
  atomic<bool> m_lends{false};                  // its slot, between begin_blocking() and end_blocking()
  atomic<promoted_task*> m_empty_task{nullptr}; // from whoever nudges, for answer_nudge(), which cannot allocate ...
  atomic<promoted_task*> m_handed{nullptr};     // ... and fills it for whoever takes it
  atomic<std::int64_t> m_nudge_after{0};        // in ticks: no nudge is welcome before
  atomic<std::int64_t> m_nudge_pause_ns{0};
  std::int64_t m_promote_after = 0; // in ticks
  std::int64_t m_promotion_pause_ns = 0;

  struct {
    bool (*publish)(void*) = nullptr;
    void* argument = nullptr;
    waiter* who = nullptr;
    task_fiber* recycle = nullptr;
  } m_pending; // what after_switch() has to do

 public: // behind what every task touches
  /// Jobs that are queued with this worker by the policy of its pool; null where that queues them otherwise. Any
  /// thread.
  const std::unique_ptr<injected_jobs> placed;
  /// The same where the longest path goes first.
  const std::unique_ptr<ordered_jobs> ordered;

 private:
  std::uint64_t m_placed_jobs = 0;
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
void set_this_task_stack(task_stack* current) noexcept;

} // namespace treadle::detail
