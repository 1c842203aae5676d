#pragma once

#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "task/timing.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>

#include <algorithm>
#include <memory>
#include <span>

namespace treadle::detail {

/// The workers that have nothing to do, and how they sleep and are woken. docs/design/parking.md has the protocol and
/// why no wake-up is lost; tests/model/idle_workers_model.cpp explores it.
///
/// A producer publishes its job, passes a light fence and looks at the counts. A worker that gives up searching for
/// good announces itself, passes a heavy fence, and looks at all queues once more.
class idle_workers {
 public:
  /// What may depend on who wakes whom; each may be null.
  struct by_caller {
    /// Which of the workers should be woken first.
    std::span<const unsigned> (*nearest)(const idle_workers& of) noexcept;
    /// Does futex_wake(word) for a worker, as if that was all.
    void (*wake)(const idle_workers& of, unsigned worker, atomic<std::uint32_t>& word) noexcept;
  };
  explicit idle_workers(unsigned workers, by_caller how = {})
      : m_workers(workers),
        m_how(how),
        m_sleeping(std::make_unique<atomic<std::uint64_t>[]>((workers + 63) / 64)),
        m_seats(std::make_unique<seat[]>(workers)) {}

  /// Not zero while any worker searches or sleeps. For the one that would make work if somebody wanted it.
  const atomic<std::uint64_t>& count() const noexcept { return m_count; }

  /// Any thread, after publishing a job. Wakes a sleeper when nobody searches. Workers that nap look for themselves in
  /// a moment: they are woken only for a `backlog`, that is, when the one that published it cannot be about to run it
  /// itself.
  /// False when somebody else asks (ask()), and there is nobody to be woken.
  bool notify_work(bool backlog) noexcept { return wake_if_wanted(count_after_publishing(), backlog); }
  /// The same for a job in a queue without an owner, which nobody else would look at before a worker runs out of work:
  /// so it must not be missed by a searcher that leaves either.
  bool notify_injected() noexcept {
    // C: in the order of these operations on m_count, a worker that sleeps or leaves comes later and sees the job, or
    // it comes earlier and we see it asleep.
    return wake_if_wanted(m_count.fetch_add(0, order::acq_rel), true);
  }
  /// The same for a job that this worker alone would take.
  void notify_injected(unsigned worker) noexcept {
    m_count.fetch_add(0, order::acq_rel); // C
    if (withdraw(worker)) wake(worker);
  }
  /// Any thread, after publishing a job: notify_work() would wake nobody, whether there is a backlog or not.
  bool needs_no_wake() const noexcept { return wants_no_wake(count_after_publishing()); }
  /// Until end_asking(), count() is not zero, as if somebody slept: those that work come to look what is wanted of
  /// them. C: in the order of these operations on m_count, a worker that goes to sleep comes later and sees what was
  /// published before, or it comes earlier and wake_all() finds it.
  void ask() noexcept { m_count.fetch_add(k_parked, order::acq_rel); }
  void end_asking() noexcept { m_count.fetch_sub(k_parked, order::relaxed); }
  bool somebody_searches() const noexcept { return m_count.load(order::relaxed) >= k_searching; }
  bool somebody_sleeps() const noexcept;
  bool wake_one() noexcept; ///< false when nobody sleeps
  void wake_all() noexcept;

  void begin_search() noexcept { m_count.fetch_add(k_searching, order::relaxed); }
  void end_search() noexcept { m_count.fetch_sub(k_searching, order::relaxed); }
  /// By a worker that has found a job: the last searcher passes the watch on when there is more to find, or a timer for
  /// which nobody would wake in time. False as notify_work().
  template <class Runtime>
  bool end_search_with_job(const Runtime& runtime) noexcept {
    const std::uint64_t before = m_count.fetch_sub(k_searching, order::acquire); // C
    if (before / k_searching != 1) return true;
    return (!runtime.work_is_visible() && somebody_wakes_by(runtime.next_deadline_ns())) || notify_work(true);
  }

  /// By a searching worker. Sleeps until woken, a timer is due, or `sleep_ns` have passed (or k_forever_ns); on return
  /// the worker is searching again. `runtime` says what would keep it awake, and is told before it parks. False when
  /// the time was up.
  template <class Runtime>
  bool sleep(unsigned worker, std::int64_t sleep_ns, Runtime& runtime);

 private:
  static constexpr std::uint64_t k_parked = 1;
  static constexpr std::uint64_t k_napping = std::uint64_t{1} << 16;
  static constexpr std::uint64_t k_searching = std::uint64_t{1} << 32;

  struct alignas(k_cache_line) seat {
    atomic<bool> naps{false};         // how the worker sleeps, while its bit is set
    atomic<std::int64_t> until{0};    // when it will wake by itself; what is too late costs a wake-up
    atomic<std::uint32_t> wake_up{0}; // set by the one that clears its bit
  };

  std::uint64_t count_after_publishing() const noexcept {
    light_fence(); // pairs with the heavy one in sleep(): the parking worker sees the job, or we see its announcement
    return m_count.load(order::relaxed);
  }
  static bool wants_no_wake(std::uint64_t count) noexcept { return count == 0 || count >= k_searching; }
  bool wake_if_wanted(std::uint64_t count, bool backlog) noexcept {
    if (TREADLE_LIKELY(wants_no_wake(count))) return true;
    return (!backlog && count >= k_napping) || wake_one();
  }
  bool somebody_wakes_by(std::int64_t deadline_ns) const noexcept;
  void announce(unsigned worker, bool naps) noexcept;
  /// Clears the worker's bit; true when this call did it, and then it counts as searching and must be woken.
  bool withdraw(unsigned worker) noexcept;
  void wake(unsigned worker) noexcept;

  alignas(k_cache_line) atomic<std::uint64_t> m_count{0}; // searching << 32 | napping << 16 | parked
  const unsigned m_workers;
  const by_caller m_how;
  std::unique_ptr<atomic<std::uint64_t>[]> m_sleeping; // one bit per worker that naps or is parked
  std::unique_ptr<seat[]> m_seats;
};

template <class Runtime>
bool idle_workers::sleep(unsigned worker, std::int64_t sleep_ns, Runtime& runtime) {
  const bool nap = sleep_ns != k_forever_ns && sleep_ns <= timing::k_nap_max;
  announce(worker, nap);
  if (nap)
    light_fence(); // stronger than needed: a job or a drain() that is missed now is found after the nap
  else
    heavy_fence(); // pairs with the light fence of the one that queues: it sees us announced, or we see its job below
  if (runtime.must_stay_awake(worker) || (!nap && runtime.lacks_watch())) {
    if (withdraw(worker)) return true;
  } else {
    runtime.check_drained();
  }
  atomic<std::uint32_t>& wake_up = m_seats[worker].wake_up;
  const std::int64_t sleep_end = sleep_ns != k_forever_ns ? steady_now_ns() + sleep_ns : k_never_ns;
  // W: the one that withdrew us has read `naps` before we set it anew. Beyond the model: it would be a read from the
  // future.
  for (bool again = false; wake_up.load(order::acquire) == 0; again = true) {
    if (again) {
      m_seats[worker].until.store(k_never_ns, order::relaxed);
      // C, as in announce(): the last searcher to leave sees that, or we see the deadline that it leaves to us.
      // Beyond the model: nobody there sleeps past a deadline that another worker has dealt with.
      m_count.fetch_add(0, order::acq_rel);
    }
    std::int64_t timeout = k_forever_ns;
    const std::int64_t deadline = std::min(sleep_end, runtime.next_deadline_ns());
    m_seats[worker].until.store(deadline, order::relaxed);
    if (deadline != k_never_ns) {
      timeout = deadline - steady_now_ns();
      if (timeout <= 0) {
        if (withdraw(worker)) return false;
        timeout = k_forever_ns; // somebody else did and is about to wake us
      }
    }
    futex_wait(wake_up, 0, timeout);
  }
  wake_up.store(0, order::relaxed);
  return true;
}

} // namespace treadle::detail
