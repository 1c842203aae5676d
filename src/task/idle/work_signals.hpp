#pragma once

#include "task/idle/drain.hpp"
#include "task/idle/idle_workers.hpp"
#include "task/idle/slots.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>
#include <treadle/detail/job.hpp>
#include <treadle/priority.hpp>

#include <algorithm>
#include <cstdint>

namespace treadle::detail {

/// What the workers of a pool, and those who queue jobs for them, tell each other: that there is work, that somebody
/// idle watches the busy ones, that a worker leaves, that all is finished. work_search.hpp has the workers' side.
///
/// A base of `Pool`, which is the scheduler, or a smaller pool in tests/model. That has
///  * `workers`, a list of pointers to workers, and `injected`, the jobs of no worker;
///  * `lends`, and between_pools(), its loans (task/pools/loans.hpp), to be called where it lends;
///  * needs_watch(): what a busy worker does could be shared, so that somebody idle has to watch it;
///  * is_visible_to(index): there is a job that this worker may take;
///  * next_deadline_ns(), of its timers; quiescent(): all_finished(); add_workers(), for slots that have none.
template <class Pool>
class work_signals {
 public:
  explicit work_signals(unsigned capacity, idle_workers::by_caller how = {})
      : idle(capacity, how), on_duty(idle, capacity) {}

  /// Any thread. A job that was queued where others may take it; `backlog`: see idle_workers::notify_work().
  void notify_work(bool backlog) noexcept {
    if (TREADLE_UNLIKELY(!idle.notify_work(backlog))) ask_for_help();
  }
  void notify_injected() noexcept {
    if (TREADLE_UNLIKELY(!idle.notify_injected())) ask_for_help();
  }
  /// Any thread. Queues a job that is nobody's own.
  void push_injected(job& item, priority level = priority::normal) noexcept {
    self().injected.push(&item, level);
    notify_injected();
  }
  /// The same for a stack that can go on.
  void push_resumed(job& item) noexcept {
    self().injected.push_resumed(&item);
    notify_injected();
  }
  /// After a notification that found nobody to wake.
  TREADLE_NOINLINE void ask_for_help() noexcept {
    if (self().lends) self().between_pools().ask_for_help(self());
  }
  /// By a worker that has taken a job without a search. Perhaps no worker has been woken for the jobs that are left.
  void pass_on_rest() noexcept {
    if (work_is_visible()) notify_injected();
  }
  /// By a worker that will not look at any queue for a while: others learn what only it may have known of.
  void pass_on() noexcept {
    heavy_fence(); // as in idle_workers::sleep()
    if (work_is_visible() || self().next_deadline_ns() != k_never_ns) notify_injected();
    find_watch();
    check_drained();
  }
  bool work_is_visible() const noexcept {
    if (!self().injected.empty()) return true;
    return std::any_of(self().workers.begin(), self().workers.end(),
                       [this](const auto& w) { return !on_duty.is_quiet(w->index()) && w->has_queued(); });
  }

  /// While somebody is busy one idle worker, of this pool or one that would lend to it, does not sleep for good: it
  /// watches, that is, it is hungry and nudges from time to time. True when none does.
  bool lacks_watch() const noexcept {
    if (!self().needs_watch()) return false;
    return self().lends ? self().between_pools().lacks_watch(self()) : !is_watched() && has_busy_worker();
  }
  bool is_watched() const noexcept { return m_watched.load(order::relaxed) != 0; }
  bool has_busy_worker() const noexcept {
    return std::any_of(self().workers.begin(), self().workers.end(), [this](const auto& w) {
      return !on_duty.is_quiet(w->index()) && !w->looks_for_work.load(order::relaxed);
    });
  }
  /// Wakes somebody to watch, when nobody does.
  void find_watch() noexcept {
    if (lacks_watch() && !idle.notify_work(false) && self().lends) self().between_pools().wake_lender(self());
  }
  bool begin_watch() noexcept { return lacks_watch() && m_watched.exchange(1, order::relaxed) == 0; }
  void end_watch() noexcept { m_watched.store(0, order::relaxed); }

  // For idle_workers::sleep().
  bool must_stay_awake(unsigned index) noexcept {
    return self().is_visible_to(index) || on_duty.has_surplus() || exiting.load(order::relaxed) ||
           (self().lends && self().between_pools().can_lend(self()));
  }
  void check_drained() noexcept {
    m_drain.check([this] { return self().quiescent(); });
  }

  /// False when the time has passed.
  bool wait_idle_until(std::int64_t deadline_ns) {
    return m_drain.wait_until(deadline_ns, [this] { return self().quiescent(); });
  }
  void wait_idle() { wait_idle_until(k_never_ns); }
  /// There is work, or a timer, and nobody who is about to look for it.
  bool lacks_workers() const noexcept {
    return !idle.somebody_searches() && !idle.somebody_sleeps() && !on_duty.has_surplus() &&
           (work_is_visible() || (on_duty.wanted() == 0 && self().next_deadline_ns() != k_never_ns));
  }

  idle_workers idle;
  slots on_duty;               // each worker looks at it after each job: what is behind it is written seldom
  atomic<bool> exiting{false}; // relaxed: idle_workers::wake_all() publishes it

 private:
  Pool& self() noexcept { return static_cast<Pool&>(*this); }
  const Pool& self() const noexcept { return static_cast<const Pool&>(*this); }

  atomic<std::uint32_t> m_watched{0};
  drain m_drain;
};

} // namespace treadle::detail
