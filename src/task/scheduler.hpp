#pragma once

#include "base/sync/fence.hpp"
#include "task/injection_queue.hpp"
#include "task/timer_queue.hpp"
#include "task/worker.hpp"

#include <treadle/runtime.hpp>

#include <memory>
#include <thread>
#include <vector>

namespace treadle::detail {

/// The workers of a runtime and what they share: queues, sleep and wake-up, stacks, timers.
///
/// Sleep and wake-up (docs/design/parking.md): `idle` counts workers that search, nap and are parked. A producer
/// publishes its job, passes a light fence and reads `idle` (notify_work). A worker that gives up searching for good
/// announces itself in `idle`, passes a heavy fence, and looks at all queues once more.
class scheduler {
 public:
  scheduler(const runtime_options& resolved, runtime& facade);
  /// Waits for the tasks in flight and ends the threads.
  ~scheduler();

  static scheduler& of(const runtime& r) noexcept { return *r.m_scheduler; }

  /// Any thread. Between the two the scheduler is not destroyed.
  void enter() noexcept { m_injecting.fetch_add(1, order::relaxed); }
  void leave() noexcept { m_injecting.fetch_sub(1, order::release); } // pairs with the destructor

  void inject(job& item); ///< any thread
  /// Any thread, after publishing a job. Wakes a sleeper when nobody searches. Workers that nap look for themselves in
  /// a moment: they are woken only for a `backlog`, that is, when whoever published it cannot be about to run it
  /// itself.
  void notify_work(bool backlog) noexcept {
    const std::uint64_t state = idle.load(order::acquire); // pairs with announce(): wake_one() finds the bit
    if (TREADLE_LIKELY(state == 0 || state >= k_searching)) return;
    if (backlog || state < k_napping) wake_one();
  }
  /// By a worker that has found a job: the last searcher passes the watch on when there is more to find.
  void leave_search() noexcept {
    const std::uint64_t before = idle.fetch_sub(k_searching, order::seq_cst);
    if (before / k_searching == 1 && work_is_visible()) notify_work(true);
  }
  void wake_one() noexcept;
  void wake_all() noexcept;

  /// Any thread. Wakes a parked worker when it would otherwise sleep past the deadline.
  void arm(timer& t, std::int64_t deadline_ns) {
    if (!timers.arm(t, deadline_ns)) return;
    light_fence(); // pairs with the heavy one in park(): it sees the deadline, or we see it parked
    notify_work(true);
  }

  job* steal(worker& thief, xorshift& random) noexcept;
  bool work_is_visible() const noexcept;
  bool quiescent() const noexcept;
  void wait_idle();
  void check_drained() noexcept; ///< by a worker that has announced itself as parked

  task_fiber* take_fiber() noexcept; ///< null when the pool is empty
  void give_fiber(task_fiber* idle_fiber) noexcept;
  void count_stack(int difference) noexcept {
    stacks.fetch_add(static_cast<std::uint64_t>(difference), order::relaxed);
  }

  /// Takes a worker out of the set of parked ones; true when this call did it, and then it counts as searching.
  bool withdraw(unsigned worker_index) noexcept;
  void announce(unsigned worker_index, bool napping) noexcept;

  static constexpr std::uint64_t k_parked = 1;
  static constexpr std::uint64_t k_napping = std::uint64_t{1} << 16;
  static constexpr std::uint64_t k_searching = std::uint64_t{1} << 32;

  alignas(k_cache_line) atomic<std::uint64_t> idle{0}; // searching << 32 | napping << 16 | parked
  alignas(k_cache_line) injection_queue injected;
  atomic<std::uint64_t> injected_tasks{0}; // counterpart of worker_counters::created for foreign threads
  timer_queue timers;
  atomic<bool> exiting{false};
  atomic<std::uint64_t> stacks{0};
  std::vector<std::unique_ptr<worker>> workers;
  runtime& facade;
  const std::size_t stack_bytes;

 private:
  void await_visitors() noexcept;
  atomic<std::uint64_t>& parked_word(unsigned index) noexcept { return m_parked_set[index / 64]; }

  std::unique_ptr<atomic<std::uint64_t>[]> m_parked_set; // one bit per worker
  unsigned m_parked_words;
  spinlock m_fiber_lock;
  std::vector<task_fiber*> m_idle_fibers;
  atomic<std::uint32_t> m_injecting{0}; // threads between enter() and leave()
  atomic<std::uint32_t> m_drain_waiters{0};
  atomic<std::uint32_t> m_drain_epoch{0};
  std::vector<std::thread> m_threads;
};

/// For foreign threads: the scheduler they use, started on demand, and entered. The caller must leave() it.
scheduler& enter_current_scheduler();

} // namespace treadle::detail
