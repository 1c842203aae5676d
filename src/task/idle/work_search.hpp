#pragma once

#include "base/clock.hpp"
#include "base/sync/park.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>
#include <treadle/detail/job.hpp>
#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <cstdint>

namespace treadle::detail {

/// How long a worker looks for work, and sleeps, in ns.
struct search_times {
  std::int64_t first;              ///< it looks, after a job
  std::int64_t after_wake;         ///< it looks when it was woken
  std::int64_t short_look;         ///< it looks after a nap, or when it has asked a busy worker
  std::int64_t nap, nap_max;       ///< the first nap; each is twice as long as the one before
  std::int64_t napping;            ///< all naps together, after a job, before it parks
  std::int64_t napping_after_wake; ///< the same when it was woken
  std::int64_t watch;              ///< between two looks when it watches the busy ones
};

/// How a worker comes by its next job: it takes what is near, or looks for some, naps, watches the busy ones and parks;
/// and it goes off duty where too many are active. What it tells others is in work_signals.hpp.
///
/// A base of `Worker`, which is that of the runtime, or a smaller one in tests/model. That has
///  * owner(), its pool, and index(), its number there;
///  * next_nearby(): a job that it has itself or that is nobody's; pop_own(): one of its own; null where there is none;
///  * look(ns), by look_for(): a job of any queue;
///  * ask_busy(): it asks a busy worker for work, and may get some in a moment;
///  * times(); run_timers(); is_quiet(): there is nothing that could be taken from it;
///  * begin_searching() and end_searching(), around a search;
///  * sleep(ns, for_good), by sleep_for(), and wait_for_slot(), by slots::wait().
template <class Worker>
class work_search {
 public:
  /// Its task is between begin_lending() and end_lending(). Any thread.
  bool lends() const noexcept { return m_lends.load(order::relaxed); }
  /// There is no thread for it yet. Any thread.
  void stay_away() noexcept { m_off_duty.store(true, order::relaxed); }
  /// It will not look at its queues for a while: it is off duty, or its task blocks in the operating system. Any
  /// thread.
  bool is_away() const noexcept { return m_off_duty.load(order::relaxed) || lends(); }

  atomic<bool> looks_for_work{true};

 protected:
  /// By its thread, which begins, or when it has a slot again. What it takes next may be taken without a search.
  void come_on_duty() noexcept {
    m_off_duty.store(false, order::relaxed);
    m_begins = true;
  }
  /// Blocks until there is something to do; null when the runtime stops.
  job* next_job() {
    for (;;) {
      while (TREADLE_UNLIKELY(pool().on_duty.has_surplus()) && pool().on_duty.leave(self().index())) stand_by();
      const bool begins = m_begins;
      if (TREADLE_UNLIKELY(begins)) m_begins = false; // others look at what lies beside it
      if (job* item = self().next_nearby()) {
        if (TREADLE_UNLIKELY(begins)) tell_found();
        return item;
      }
      if (job* item = search()) return item;
      if (is_exiting()) return self().next_nearby(); // a message may just have left a task
    }
  }
  /// Null when the runtime stops, or too many are active.
  job* search() {
    self().begin_searching();
    looks_for_work.store(true, order::relaxed);
    pool().idle.begin_search();
    job* item = search_or_sleep();
    if (item || !is_exiting()) {
      if (!pool().idle.end_search_with_job(pool())) pool().ask_for_help();
      look_busy();
    } else {
      pool().idle.end_search();
    }
    self().end_searching();
    return item;
  }
  /// Calls find() again and again for so long, or until there is something else to do than to look.
  template <class Find>
  job* look_for(std::int64_t ns, Find find) {
    const std::int64_t end = ticks_now() + ns_to_ticks(ns);
    while (!pool().on_duty.has_surplus()) { // what there is to do is passed on by who leaves
      if (job* item = find()) return item;
      if (ticks_now() >= end || is_exiting()) break;
      cpu_relax();
    }
    return nullptr;
  }
  /// By a searching worker; see idle_workers::sleep().
  bool sleep_for(std::int64_t ns) {
    const bool offers = pool().lends && pool().between_pools().offer(pool());
    const bool woken = pool().idle.sleep(self().index(), ns, pool());
    if (offers) pool().between_pools().end_offer(pool());
    return woken;
  }
  /// From now on others may rely on a nudge, and need somebody who watches.
  void look_busy() noexcept {
    looks_for_work.store(false, order::relaxed);
    light_fence(); // pairs with the heavy one in idle_workers::sleep(): who parks sees us busy, or we see it parked
    pool().find_watch();
  }
  /// Has no slot any more; sleeps until it is handed one.
  void stand_by() noexcept {
    looks_for_work.store(true, order::relaxed);
    m_off_duty.store(true, order::relaxed);
    pool().pass_on();
    pool().on_duty.set_quiet(self().index(), self().is_quiet());
    self().wait_for_slot();
    pool().on_duty.set_quiet(self().index(), false);
    come_on_duty();
  }
  /// Another worker may have its slot for a while.
  void begin_lending() noexcept {
    looks_for_work.store(true, order::relaxed); // a nudge would interrupt what it waits for
    m_lends.store(true, order::relaxed);
    pool().on_duty.lend();
    pool().add_workers();
    pool().pass_on();
  }
  void end_lending() noexcept {
    m_lends.store(false, order::relaxed);
    pool().on_duty.take_back();
    look_busy();
  }

 private:
  /// It has come on duty and taken a job: as one that has found it by searching.
  TREADLE_NOINLINE void tell_found() noexcept {
    pool().pass_on_rest();
    look_busy();
  }
  Worker& self() noexcept { return static_cast<Worker&>(*this); }
  auto& pool() noexcept { return self().owner(); }
  bool is_exiting() noexcept { return pool().exiting.load(order::relaxed); }

  job* search_or_sleep() {
    search_times times = self().times();
    std::int64_t look_ns = times.first;
    std::int64_t nap_ns = times.nap, napped_ns = 0, napping_ns = times.napping;
    for (;;) {
      if (job* item = self().look(look_ns)) return item;
      if (self().ask_busy()) {
        if (job* item = self().look(times.short_look)) return item;
      }
      if (is_exiting() || pool().on_duty.has_surplus()) return nullptr;
      const bool naps = napped_ns < napping_ns;
      if (pool().lends && helps_others(!naps)) return nullptr;
      const bool watches = !naps && pool().begin_watch();
      const std::int64_t sleep_ns = naps ? nap_ns : watches ? times.watch : k_forever_ns;
      if (self().sleep(sleep_ns, !naps && !watches)) { // there is work, and soon perhaps more
        times = self().times();                        // long ago, perhaps, since the last look at them
        look_ns = times.after_wake;
        napping_ns = times.napping_after_wake;
        napped_ns = 0;
        nap_ns = times.nap;
      } else {
        look_ns = times.short_look;
        napped_ns += nap_ns;
        nap_ns = std::min(2 * nap_ns, times.nap_max);
      }
      if (watches) pool().end_watch();
      self().run_timers();
      if (job* item = self().pop_own()) return item; // a timer may have queued it here, and more of them
    }
  }
  /// Before it sleeps, or naps. True when its slot is needed elsewhere.
  bool helps_others(bool for_good) noexcept {
    auto& loans = pool().between_pools();
    return loans.lend(pool()) || (for_good && loans.give_back(pool()));
  }

  bool m_begins = true; // it has come on duty, and has not looked for anything yet
  atomic<bool> m_off_duty{false};
  atomic<bool> m_lends{false}; // its slot
};

} // namespace treadle::detail
