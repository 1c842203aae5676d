#pragma once

#include "task/engine/concurrency.hpp"
#include "task/engine/tunables.hpp"
#include "task/idle/timer_queue.hpp"
#include "task/idle/work_signals.hpp"
#include "task/priority/task_paths.hpp"
#include "task/queue/injected_jobs.hpp"
#include "task/worker/worker.hpp"
#include "task/worker/worker_list.hpp"

#include <treadle/detail/placement.hpp>
#include <treadle/runtime.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace treadle::detail {

/// A pool: workers, and what they share: queues, sleep and wake-up, stacks, timers.
class scheduler : public work_signals<scheduler> {
 public:
  /// Beyond the `workers` of a pool, for those whose tasks block in the operating system.
  static constexpr unsigned k_spares_max = 64;

  struct setup {
    const pool& described;
    unsigned first;       ///< the number of worker 0 through all pools of the runtime
    unsigned first_spare; ///< the same of the first spare
    unsigned spares;
    bool lends;          ///< workers, to other pools of the runtime, and borrows theirs
    bool shares_cores;   ///< there are more workers in the runtime than cores
    concurrency& active; ///< of the runtime
  };
  /// Otherwise by the options of its runtime.
  scheduler(const setup& wanted, const runtime_options& resolved, runtime& facade);
  /// Its workers run from here on. All pools are known to `active` by then: a worker that goes to sleep for good offers
  /// itself to those that it knows. Throws std::system_error where there are no threads to be had.
  void start();
  /// Waits for the tasks in flight and ends the threads. Workers look at other pools until then: all of them are there.
  void end();
  ~scheduler(); ///< after end(), if there are other pools

  /// The default pool.
  static scheduler& of(const runtime& r) noexcept;
  static std::vector<std::unique_ptr<scheduler>>& pools_of(const runtime& r) noexcept;
  /// Whether all pools are there; its workers run before that.
  static bool has_started(const runtime& r) noexcept;

  /// Any thread. Between the two the scheduler is not destroyed.
  void enter() noexcept { m_injecting.fetch_add(1, order::relaxed); }
  void leave() noexcept { m_injecting.fetch_sub(1, order::release); } // pairs with the destructor

  /// Any thread. `where`: in this pool.
  void inject(job& item, const placement& where = {});
  /// The same for a stack that can go on. It goes before what has not begun, unless that is urgent: else a worker with
  /// much to do would begin more and more of what then waits, each on a stack of its own.
  void inject_resumed(job& item, worker& where);
  /// Whether jobs are queued by the rules of its policy, and not in the deque of who makes them.
  bool places_jobs() const noexcept { return policy != scheduling::work_stealing; }
  /// That with the longest path behind it goes first, unless that is not worth it.
  bool goes_by_paths() const noexcept { return policy == scheduling::critical_path; }
  /// Where it goes by paths: whether it does so now. Otherwise its tasks are queued as by work-stealing, but for those
  /// with a priority or a path of their own, and nothing is learned for it. Any thread.
  void set_ordering(bool ordered);
  bool is_ordering() const noexcept { return m_is_ordering.load(order::relaxed); }
  bool orders(const job& item) const noexcept { return is_ordering() && !is_short_task(item); }
  /// Its tasks run where they are queued: a get() elsewhere must not run them in place.
  bool pins() const noexcept { return m_pins; }
  /// Where tasks that are sent here are queued: in another pool while this one has no workers of its own. Any thread;
  /// relaxed, because either pool will do. docs/design/pools.md
  scheduler& host() noexcept {
    scheduler* const other = m_host.load(order::relaxed);
    return other ? *other : *this;
  }
  void set_host(scheduler* other) noexcept { m_host.store(other, order::relaxed); }
  /// Tasks of all other pools are queued here.
  void set_hosts_all(bool all) noexcept { m_hosts_all.store(all, order::relaxed); }
  /// The same for those that were sent here: there is no need where all of them are.
  bool pins_what_is_sent() const noexcept { return pins() || !m_hosts_all.load(order::relaxed); }
  /// Where jobs are placed: with workers, by their priorities alone.
  bool has_queues_of_workers() const noexcept {
    return places_jobs() && policy != scheduling::shared_priority && !goes_by_paths();
  }
  /// Where jobs are placed: a new one, or one that goes on, behind others where it `yields`. Any thread.
  void place(job& item, const placement& where = {}) noexcept;
  void place_again(job& item, worker& where, bool yields) noexcept;
  /// As inject() for a new task, which is counted as created.
  void submit(job& task, const placement& where = {}) {
    injected_tasks.fetch_add(1, order::relaxed);
    inject(task, where);
  }
  /// Any thread. Wakes a parked worker when it would otherwise sleep past the deadline.
  void arm(timer& t, std::int64_t deadline_ns) {
    if (timers.arm(t, deadline_ns)) notify_injected();
  }

  job* steal(worker& thief, xorshift& random) noexcept;
  /// Where the longest path goes first: of its own jobs or those of another worker, whichever is more urgent.
  job* pop_longest(worker& who, xorshift& random) noexcept;
  /// Asks a busy worker for latent work, when it is time to; true when one was asked.
  bool nudge_somebody(worker& thief, xorshift& random) noexcept;
  bool nudge_one(worker& thief, xorshift& random) noexcept; ///< of this pool
  /// See work_signals. Nobody else may do what the only active worker could share.
  bool needs_watch() const noexcept { return on_duty.wanted() > 1 || lends; }
  /// There is a job that this worker may take.
  bool is_visible_to(unsigned index) const noexcept;
  /// Any thread. How many workers may be active; at most capacity().
  void set_active(unsigned n) noexcept;
  unsigned capacity() const noexcept { return m_workers_max; }
  /// Makes those for which there are slots, as far as the system lets us.
  void add_workers() noexcept;

  /// Ends what a process has left of its default runtime (or null), and reports tasks that are blocked for good.
  static void end_at_exit(runtime* r);
  /// Whether a task runs, is about to, or will when it has slept. One that waits for something is blocked, also where
  /// the wait has a limit.
  bool runs() const noexcept;
  /// Grows whenever a task has finished or gone on.
  std::uint64_t progress() const noexcept;
  void stop_workers() noexcept;
  /// After stop_workers(): a line for each.
  std::string blocked_tasks() const;

  std::int64_t next_deadline_ns() const noexcept { return timers.next_deadline_ns(); }
  auto& between_pools() const noexcept { return active.between_pools; }

  /// One that is idle, or a new one. Throws std::system_error when there is no memory for its stack.
  task_fiber* take_fiber();
  void give_fiber(task_fiber* idle_fiber) noexcept;
  task_fiber* make_fiber();
  void delete_fiber(task_fiber* f) noexcept;

  bool asks_for_forks = false; ///< of all that fork here: a trace wants them. With the lock of the runtimes
  concurrency& active;         ///< of all pools
  alignas(k_cache_line) injected_jobs injected;
  // Counterpart of task_counts::created for foreign threads. Busy workers look at what is before it.
  alignas(k_cache_line) atomic<std::uint64_t> injected_tasks{0};
  alignas(k_cache_line) timer_queue timers;
  atomic<std::uint64_t> stacks{0};
  worker_list workers;
  runtime& facade;
  const std::size_t stack_bytes;
  /// How long a worker looks for work before it sleeps: longer than a wake-up costs, shorter than anybody notices, and
  /// as long as the serial parts between short loops; where workers share cores it keeps others from working.
  std::int64_t search_ns() const noexcept {
    const std::int64_t chosen = tunables::search;
    return chosen != 0 ? chosen : shares_cores ? 10'000 : 50'000;
  }
  const std::string name;
  const bool is_default;
  const scheduling policy;
  const bool lends, shares_cores;     ///< see setup
  atomic<unsigned> share{0};          ///< of the workers that may be active in the runtime, without loans
  const std::uint64_t serial;         ///< among all that this process has made
  readiness_counts outside_at_start;  ///< what foreign threads had counted before
  readiness_counts counted_elsewhere; ///< of its tasks, by who is none of its workers

  bool quiescent() const noexcept { return all_finished(injected_tasks, workers); }
  std::uint64_t tasks_created() const noexcept;

  /// Returns when the threads that were between enter() and leave() have left.
  void await_visitors() noexcept;

 private:
  void run_worker(worker& w) noexcept; // what its thread does
  job* steal_from(worker& victim, worker& thief) noexcept;
  bool may_take(const worker& thief, const worker& from) const noexcept;
  worker& with_whom(const placement& where) noexcept;
  void queue_with(worker& where, job& item, priority level, bool behind) noexcept;
  void queue_by_path(job& item, const placement& where) noexcept;
  void queue_unordered(job& item, bool goes_on) noexcept;
  std::size_t suspended_coroutines() const noexcept; // of the runtime

  atomic<bool> m_has_started{false};
  const bool m_pins = !is_default || (places_jobs() && !goes_by_paths());
  const unsigned m_workers_max, m_spares_max, m_first_worker, m_first_spare;
  const bool m_nudges;
  const worker_hooks m_hooks;
  std::mutex m_ordering; // of the next
  std::optional<path_learning> m_learning;
  atomic<bool> m_is_ordering{false};  // either place is right for a task, so nobody waits for a change to be seen
  atomic<scheduler*> m_host{nullptr}; // null: itself
  atomic<bool> m_hosts_all{false};
  atomic<std::uint32_t> m_turn{0}; // of the workers with which jobs are queued
  mutable spinlock m_fiber_lock;
  std::vector<task_fiber*> m_idle_fibers;
  task_fiber* m_fibers = nullptr;       // all of them
  atomic<std::uint32_t> m_injecting{0}; // threads between enter() and leave()
  std::mutex m_adding;                  // of workers; also of the next
  std::vector<std::thread> m_threads;
  std::exception_ptr m_failure; // the latest, to make a worker
};

/// Calls visit(argument, pools) for those of the runtime that the caller would use, which does not end meanwhile. False
/// when there is none.
bool visit_current_pools(void (*visit)(void* argument, const std::vector<std::unique_ptr<scheduler>>& pools),
                         void* argument);
/// The same for those of each runtime that has started.
void visit_all_pools(void (*visit)(void* argument, const std::vector<std::unique_ptr<scheduler>>& pools),
                     void* argument);

/// A task that the caller sends there runs where it is queued: a get() elsewhere must not run it in place. What a pool
/// that lends workers sends to itself is as what it makes without an executor.
bool pins_at(const placement& where) noexcept;

/// Queues a job as schedule() does, and counts it as created, but tells nobody that there is a new task.
void queue_here(job& task);

/// For foreign threads: the scheduler they use, started on demand, and entered. The caller must leave() it.
scheduler& enter_current_scheduler();
/// The same without starting one: null when there is none.
scheduler* enter_present_scheduler() noexcept;

inline bool worker::is_asked_to_leave() const noexcept {
  return TREADLE_UNLIKELY(m_scheduler.on_duty.has_surplus()) && !lends();
}

// Each task comes through this and take_newest(). What is rare is called last, so that nothing has to be kept for it.
[[gnu::always_inline]] inline void worker::push_new(job& task) noexcept {
  counters.created.increment_unshared();
  if (m_stamps.due()) return push_stamped(task);
  const std::int64_t size = tasks.push_if_room(&task);
  if (TREADLE_UNLIKELY(size == 0)) return push_and_grow(task);
  if (TREADLE_UNLIKELY(!m_scheduler.idle.needs_no_wake() || stale.is_large(size))) note_pushed(size);
}

inline bool worker::take_newest(const future_state& task) noexcept {
  if (TREADLE_UNLIKELY(lends() || m_scheduler.on_duty.has_surplus() || stale.may_be_on_top())) return false;
  if (TREADLE_UNLIKELY(!tasks.pop_if(&task))) return false;
  counters.inlined.increment_unshared();
  return true;
}

inline bool worker::makes_way() noexcept {
  if (TREADLE_UNLIKELY(lends())) end_blocking();
  if (TREADLE_LIKELY(!is_asked_to_leave())) return false;
  give_way();
  return true;
}

} // namespace treadle::detail
