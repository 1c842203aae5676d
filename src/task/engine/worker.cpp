#include "task/engine/worker.hpp"

#include "base/alternate_stack.hpp"
#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/background.hpp"
#include "task/engine/scheduler.hpp"
#include "task/latent/promoted_task.hpp"

#include <treadle/detail/fence.hpp>
#include <treadle/detail/loop.hpp>

#include <algorithm>
#include <system_error>

#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace treadle::detail {

constinit atomic<std::uint64_t> last_hungry_ms{0};
constinit readiness_counts counted_outside;

namespace {

constexpr std::int64_t k_unsampled_ns = 64'000; // a sample costs some 40 ns
constexpr std::int64_t k_steal_ns = 250;        // what it costs thief and victim together at least
constexpr std::int64_t k_patience = 16;         // with vain steals
constexpr std::size_t k_idle_fibers_max = 8;    // kept by each worker; more go to the scheduler's pool

std::uint64_t now_in_ms() noexcept { return static_cast<std::uint64_t>(steady_now_ns()) / 1'000'000; }

void note_hunger() noexcept {
  const std::uint64_t now_ms = now_in_ms();
  if (last_hungry_ms.load(order::relaxed) != now_ms) last_hungry_ms.store(now_ms, order::relaxed);
}

} // namespace

bool somebody_was_hungry_lately() noexcept { return now_in_ms() - last_hungry_ms.load(order::relaxed) <= 1; }

worker::worker(scheduler& owner, unsigned index, unsigned number, unsigned capacity)
    : samples(number + 1),
      m_scheduler(owner),
      m_index(index),
      m_number(number),
      m_places(owner.places_jobs()),
      m_random(index + 1),
      m_stolen_from(std::make_unique<atomic<std::uint64_t>[]>(capacity)),
      placed(owner.has_queues_of_workers() ? std::make_unique<injected_jobs>() : nullptr),
      ordered(owner.goes_by_paths() ? std::make_unique<ordered_jobs>() : nullptr) {
  if (!m_places) m_jobs_to_stamp = m_stamp_gap = stamp_gap();
  m_idle_fibers.reserve(k_idle_fibers_max);
  m_current = owner.make_fiber(); // before the thread exists, so that failure throws to the user
}

worker::~worker() {
  for (task_fiber* f : m_idle_fibers) m_scheduler.delete_fiber(f);
  m_scheduler.delete_fiber(m_current);
  if (promoted_task* empty = m_empty_task.load(order::relaxed)) empty->release();
  if (promoted_task* stale = take_handed()) stale->release(); // its joiner ran it
}

unsigned worker::worker_count() const noexcept { return std::max(m_scheduler.share.load(order::relaxed), 1u); }
unsigned pool_workers() noexcept { return this_worker()->worker_count(); }

void worker::thread_main() {
  const alternate_stack for_signals;
  m_thread.emplace();
  thread_id.store(gettid(), order::relaxed);
  counters.alive.begin(ticks_now());
  set_worker_number(static_cast<int>(number()));
  looks_for_work.store(false, order::relaxed);
  m_off_duty.store(false, order::relaxed);
  m_begins = true;
  set_current(*m_current);
  m_exceptions = &thread_exceptions();
  m_thread->switch_to(*m_current, *m_exceptions);
  // Back here once scheduling_loop() found the runtime exiting; m_current is the fiber that did.
  thread_id.store(0, order::relaxed);
  set_this_task_stack(nullptr);
}

void worker::fiber_main(fiber&, fiber&) {
  after_switch();
  for (;;) {
    scheduling_loop();
    worker* w = this_worker(); // the runtime is exiting: give the thread its own stack back, for good
    w->m_current->switch_to(*w->m_thread, *w->m_exceptions);
  }
}

void worker::scheduling_loop() {
  for (;;) {
    job* item = this_worker()->next_job(); // fetched each time: a job may have moved this fiber to another worker
    if (!item) return;
    this_worker()->begin_phase(*item);
    item->run();
    this_worker()->end_job();
  }
}

void worker::end_wait(job& item) noexcept {
  const std::int64_t now = ticks_now();
  m_waited = std::max<std::int64_t>(now - std::exchange(item.queued_at, 0), 0);
  if (m_is_critical) m_critical_began = now; // all that are critical have been stamped
  m_waited_before = counters.phases.load(order::relaxed);
  (m_is_critical ? counters.critical_pending_ticks : counters.pending_ticks)
      .increment_unshared(static_cast<std::uint64_t>(m_waited));
  (m_is_critical ? counters.critical_pending_waits : counters.pending_waits).increment_unshared();
}

void worker::add_named_wait(const job& task) noexcept {
  const auto waited = static_cast<std::uint64_t>(m_waited);
  samples.found.of(task.name()).add(profile_field::pending_ticks, m_is_critical ? waited : k_queued_per_stamp * waited);
  m_waited_before = 0; // it has its name
}

void worker::end_critical() noexcept {
  m_is_critical = false;
  if (m_critical_began == 0) return;
  const std::int64_t took = ticks_now() - std::exchange(m_critical_began, 0);
  counters.critical_phases.increment_unshared();
  counters.critical_ticks.increment_unshared(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)));
}

void worker::void_phase() noexcept {
  if (!m_in_phase) return;
  const std::uint64_t phases = counters.phases.load(order::relaxed);
  if (std::exchange(m_is_critical, false)) {
    m_critical_began = 0;
    counters.critical_pending_ticks.increment_unshared(0 - static_cast<std::uint64_t>(m_waited));
    counters.critical_pending_waits.increment_unshared(~std::uint64_t{0});
  } else if (m_waited_before == phases) {
    counters.pending_ticks.increment_unshared(0 - static_cast<std::uint64_t>(m_waited));
    counters.pending_waits.increment_unshared(~std::uint64_t{0});
  }
  m_waited_before = 0; // it is nobody's any more
  counters.phases.store(phases - 1, order::relaxed);
  m_sampled_phase_began = 0;
}

void worker::look_at_cores() noexcept { m_scheduler.active.look_at_cores(steady_now_ns()); }

void worker::begin_sample() noexcept {
  look_at_cores();
  take_place();
  const std::int64_t now = ticks_now();
  m_sampled_phase_began = now;
  m_inlined_at_sample = counters.inlined.load(order::relaxed);
  const std::uint64_t phases = counters.phases.load(order::relaxed);
  const std::uint64_t meant = phases - std::exchange(m_phases_sampled_to, phases); // by this sample
  if (m_phase_ended == 0) return; // it looked for work: that time counts elsewhere
  // A sample in which the system took the core away must not stand for others.
  const std::int64_t took = std::clamp<std::int64_t>(now - m_phase_ended - stamp_ticks(), 0, 16 * m_management_ticks);
  m_management_ticks += (took - m_management_ticks) / 8;
  counters.management_ticks.increment_unshared(meant * static_cast<std::uint64_t>(took));
}

/// A phase of the sample has ended: the one before what is measured first, or the one that is measured then.
void worker::continue_sample() noexcept {
  const std::int64_t now = ticks_now();
  if (m_sampled_phase_began == 0) {
    m_phase_ended = now;
    return;
  }
  const std::int64_t ns = ticks_to_ns(now - std::exchange(m_sampled_phase_began, 0));
  const std::int64_t every = std::clamp<std::int64_t>(k_unsampled_ns / std::max<std::int64_t>(ns, 1), 1, 32);
  const int range = std::min(64 - __builtin_clzll(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 1))) - 1,
                             worker_counters::k_duration_ranges - 1);
  counters.durations[range].increment_unshared(static_cast<std::uint64_t>(std::exchange(m_phases_per_sample, every)));
  m_phases_to_sample = every;
  const auto ran = 1 + counters.inlined.load(order::relaxed) - m_inlined_at_sample;
  samples.expect(m_current->tasks, ns / static_cast<std::int64_t>(ran));
}

/// In pools that place jobs: each time, and then false, because it has been placed.
bool worker::stamp(job& item) noexcept {
  if (k_counts && (!m_places || is_stamped(++m_placed_jobs))) item.queued_at = ticks_now();
  if (m_places) {
    m_jobs_to_stamp = 1;
    m_scheduler.place(item);
    return false;
  }
  const std::int64_t since = item.queued_at - std::exchange(m_stamped_at, item.queued_at);
  if (k_counts && since != item.queued_at) samples.expect(m_current->tasks, ticks_to_ns(since) / m_stamp_gap);
  m_jobs_to_stamp = m_stamp_gap = stamp_gap();
  return true;
}

// Part of its callers here, which each task that is made comes through.
[[gnu::always_inline]] inline std::int64_t worker::queue_inline(job& item) noexcept {
  if (TREADLE_UNLIKELY(--m_jobs_to_stamp == 0) && !stamp(item)) return 0;
  try {
    return tasks.push(&item);
  } catch (...) { // no memory to grow: a queue that needs none
    m_scheduler.inject(item);
    return 0;
  }
}

std::int64_t worker::queue(job& item) noexcept { return queue_inline(item); }

void worker::push(job& item) noexcept {
  if (const std::int64_t size = queue_inline(item)) m_scheduler.notify_work(size > 1);
}

void worker::push_new(job& task) noexcept {
  counters.created.increment_unshared();
  const std::int64_t size = queue_inline(task);
  if (size)
    m_scheduler.notify_work(size > 1);
  else if (ordered && ordered->wants_sweep())
    return sweep_ordered();
  if (TREADLE_UNLIKELY(size > m_sweep_at)) drop_stale_of_others(size);
}

job* worker::next_job() {
  for (;;) {
    while (TREADLE_UNLIKELY(m_scheduler.on_duty.has_surplus()) && m_scheduler.on_duty.leave(m_index)) stand_by();
    const bool begins = std::exchange(m_begins, false);
    if (job* item = next_nearby()) {
      if (TREADLE_UNLIKELY(begins)) m_scheduler.pass_on_rest();
      return item;
    }
    if (job* item = search()) return item;
    if (m_scheduler.exiting.load(order::relaxed)) return next_nearby(); // a message may just have left a task
  }
}

job* worker::next_nearby() {
  constexpr std::uint32_t k_fair_period = 61; // how often work from outside goes before the worker's own
  if (TREADLE_UNLIKELY(m_scheduler.timers.next_deadline_ns() != timer_queue::k_never)) {
    const std::int64_t now = steady_now_ns();
    if (now >= m_scheduler.timers.next_deadline_ns()) m_scheduler.timers.run_due(now);
  }
  injected_jobs& injected = m_scheduler.injected;
  if (TREADLE_UNLIKELY(m_places) && (placed || ordered)) {
    job* item = ordered && ++m_ticks % k_fair_period == 0 ? injected.pop_normal() : nullptr;
    if (!item) item = pop_placed();
    if (!item) item = accept_handed(*this);
    return item || placed ? item : injected.pop_any(*this);
  }
  if (job* item = injected.pop_urgent(*this)) return item;
  if (++m_ticks % k_fair_period == 0) {
    if (job* item = injected.pop_normal()) return item;
  }
  if constexpr (k_counts) counters.pending_accesses.increment_unshared();
  if (job* item = tasks.pop()) return item;
  if (job* item = accept_handed(*this)) return item;
  if constexpr (k_counts) counters.pending_misses.increment_unshared();
  return injected.pop_normal();
}

job* worker::pop_placed() noexcept {
  if (placed) return placed->pop_any(*this);
  return ordered ? m_scheduler.pop_longest(*this, m_random) : nullptr;
}

job* worker::look(std::int64_t ns) {
  std::int64_t now = ticks_now();
  const std::int64_t end = now + ns_to_ticks(ns);
  background_polling messages;
  while (!m_scheduler.on_duty.has_surplus()) { // what there is to do is passed on by who leaves
    counters.pending_accesses.increment_unshared();
    counters.pending_misses.increment_unshared();
    if (job* item = pop_placed()) return item;
    if (job* item = m_scheduler.injected.pop_urgent(*this)) return item;
    if (job* item = m_scheduler.injected.pop_normal()) return item;
    if (job* item = m_scheduler.steal(*this, m_random)) {
      m_stole_at = ticks_now();
      m_steal_ticks += (std::min(m_stole_at - now, 4 * m_steal_ticks) - m_steal_ticks) / 8;
      return item;
    }
    if (job* item = m_scheduler.injected.pop_low()) return item;
    if (messages.poll()) {
      if (job* item = tasks.pop()) return item;
    }
    cpu_relax();
    now = ticks_now();
    if (now >= end || m_scheduler.exiting.load(order::relaxed)) break;
  }
  return nullptr;
}

void worker::note_steal(const worker& victim) noexcept {
  m_stolen_from[victim.index()].increment_unshared();
  const auto ran = victim.counters.inlined.load(order::relaxed) + victim.counters.phases.load(order::relaxed);
  const bool has_run = std::exchange(m_victim, &victim) != &victim || m_victim_ran != ran;
  m_victim_ran = ran;
  m_victim_waits = !has_run && victim.tasks.empty();
}

void worker::rest_from_vain_steals(std::int64_t now) noexcept {
  constexpr long k_rest_ns_min = 50'000;
  if (m_stole_at != 0) {
    const std::int64_t steal = std::max(ns_to_ticks(k_steal_ns), 3 * m_steal_ticks);
    const std::int64_t ran = now - m_stole_at;
    const bool blocked = counters.suspensions.load(order::relaxed) != m_suspensions_before;
    const bool was_worth_it = ran > (blocked ? 4 * steal : steal) || (m_victim_waits && !blocked);
    const std::int64_t lost = blocked ? steal : steal - ran; // where it was not
    m_vain_ticks = was_worth_it ? 0 : std::min(m_vain_ticks + lost, (k_patience + 2) * steal);
    if (const std::int64_t rests = m_vain_ticks / steal - k_patience; rests >= 0) {
      const timespec rest{0, k_rest_ns_min << rests};
      counters.parked.begin(ticks_now());
      nanosleep(&rest, nullptr);
      counters.parked.end(ticks_now());
    }
  }
  m_stole_at = 0;
  m_suspensions_before = counters.suspensions.load(order::relaxed);
}

job* worker::search() {
  m_phase_ended = 0;
  const std::int64_t now = ticks_now();
  counters.searching.begin(now);
  rest_from_vain_steals(now);
  look_at_cores();
  take_place();
  cpu.store(sched_getcpu(), order::relaxed);
  looks_for_work.store(true, order::relaxed);
  m_scheduler.idle.begin_search();
  job* item = search_or_sleep();
  if (item || !m_scheduler.exiting.load(order::relaxed)) {
    if (!m_scheduler.idle.end_search_with_job(m_scheduler)) m_scheduler.ask_for_help();
    look_busy();
  } else {
    m_scheduler.idle.end_search();
  }
  counters.searching.end(ticks_now());
  return item;
}

void worker::take_place() noexcept { m_scheduler.active.place(m_number, m_placed, m_near); }

void worker::look_busy() noexcept {
  looks_for_work.store(false, order::relaxed);
  light_fence(); // pairs with the heavy one in idle_workers::sleep(): who parks sees us busy, or we see it parked
  m_scheduler.find_watch();
}

void worker::stand_by() noexcept {
  m_phase_ended = 0;
  looks_for_work.store(true, order::relaxed);
  m_off_duty.store(true, order::relaxed);
  m_scheduler.pass_on();
  m_scheduler.on_duty.set_quiet(m_index, tasks.empty() && !has_handed() && !m_places);
  counters.alive.end(ticks_now());
  if (is_wanted(event_kind::worker_parked)) emit({.kind = event_kind::worker_parked});
  m_scheduler.on_duty.wait(m_index);
  m_scheduler.on_duty.set_quiet(m_index, false);
  m_off_duty.store(false, order::relaxed);
  if (is_wanted(event_kind::worker_woken)) emit({.kind = event_kind::worker_woken});
  counters.alive.begin(ticks_now());
  look_busy();
}

void worker::give_way() noexcept {
  if (m_scheduler.idle.somebody_searches()) return; // and will leave, rather than this task
  if (!m_scheduler.on_duty.leave(m_index)) return;
  try {
    prepare_to_suspend();
  } catch (...) { // no stack to go on with: somebody else leaves
    m_scheduler.on_duty.come_back(m_index);
    return;
  }
  waiter self;
  self.block(
      [](void* argument) {
        worker* const here = this_worker();
        static_cast<waiter*>(argument)->queue_behind(); // and that may be gone from here on
        here->stand_by();
        return true;
      },
      &self);
}

void worker::end_job() noexcept {
  if (TREADLE_UNLIKELY(lends())) end_blocking(); // a coroutine that awaits something of the program's has left it
  end_phase();
}

bool worker::begin_blocking() noexcept {
  if (lends()) return false;
  try {
    promote_all(m_current->tasks);
  } catch (...) { // no memory: it stays latent
  }
  looks_for_work.store(true, order::relaxed); // a nudge would interrupt what it waits for
  m_lends.store(true, order::relaxed);
  m_scheduler.on_duty.lend();
  m_scheduler.add_workers();
  m_scheduler.pass_on();
  return true;
}

void worker::end_blocking() noexcept {
  if (!lends()) return;
  m_lends.store(false, order::relaxed);
  m_scheduler.on_duty.take_back();
  look_busy();
}

/// Before it sleeps, or naps. True when its slot is needed elsewhere.
bool worker::helps_others(bool for_good) noexcept {
  loans<scheduler>& between_pools = m_scheduler.active.between_pools;
  return between_pools.lend(m_scheduler) || (for_good && between_pools.give_back(m_scheduler));
}

job* worker::search_or_sleep() {
  constexpr std::int64_t k_look_ns = 4'000; // after a nap or a nudge
  const std::int64_t nap_ns_min = tunables::nap;
  const std::int64_t after_work_ns = 6 * nap_ns_min; // of naps; a nap costs the busy ones up to 20 us
  constexpr std::int64_t k_after_vain_wake_ns = 5'000'000;
  constexpr std::int64_t k_watch_ns = 10'000'000;
  std::int64_t search_ns =
      m_vain_ticks < ns_to_ticks(k_patience / 2 * k_steal_ns) ? m_scheduler.search_ns() : k_look_ns;
  std::int64_t nap_ns = nap_ns_min;
  std::int64_t napped_ns = 0, napping_ns = after_work_ns;
  for (;;) {
    if (job* item = look(search_ns)) return item;
    if (m_scheduler.nudge_somebody(*this, m_random)) {
      if (job* item = look(k_look_ns)) return item;
    }
    if (m_scheduler.exiting.load(order::relaxed) || m_scheduler.on_duty.has_surplus()) return nullptr;
    note_hunger();
    const bool naps = napped_ns < napping_ns;
    if (m_scheduler.lends && helps_others(!naps)) return nullptr;
    const bool watches = !naps && m_scheduler.begin_watch();
    if (!naps && !watches) counters.parks.increment_unshared();
    const std::int64_t sleep_ns = naps ? nap_ns : watches ? k_watch_ns : k_forever_ns;
    counters.parked.begin(ticks_now());
    if (is_wanted(event_kind::worker_parked)) emit({.kind = event_kind::worker_parked});
    cpu.store(sched_getcpu(), order::relaxed);
    const bool offers = m_scheduler.lends && m_scheduler.active.between_pools.offer(m_scheduler);
    const bool woken = m_scheduler.idle.sleep(m_index, sleep_ns, m_scheduler);
    if (offers) m_scheduler.active.between_pools.end_offer(m_scheduler);
    counters.parked.end(ticks_now());
    if (is_wanted(event_kind::worker_woken)) emit({.kind = event_kind::worker_woken});
    if (woken) { // there is work, and soon perhaps more; unless somebody else is faster
      search_ns = m_scheduler.search_ns();
      napping_ns = k_after_vain_wake_ns;
      napped_ns = 0;
      nap_ns = nap_ns_min;
    } else {
      search_ns = k_look_ns;
      napped_ns += nap_ns;
      nap_ns = std::min(2 * nap_ns, std::max(idle_workers::k_nap_ns_max, nap_ns_min));
    }
    if (watches) m_scheduler.end_watch();
    if (m_scheduler.timers.next_deadline_ns() != timer_queue::k_never) m_scheduler.timers.run_due(steady_now_ns());
    if (job* item = tasks.pop()) return item; // a timer may have queued it here, and more of them
  }
}

void refuse_in_callback() {
  if (callback_scope::is_inside())
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "a listener or rule must not wait for tasks");
}

void worker::get_idle_fiber() {
  refuse_in_callback();
  promote_all(m_current->tasks);
  if (!m_idle_fibers.empty()) return;
  m_idle_fibers.push_back(m_scheduler.take_fiber()); // there is room in the list
}

void worker::set_current(task_fiber& next) noexcept {
  next.tasks.runner = this;
  next.tasks.hungry = &m_scheduler.idle.count();
  m_current = &next;
  set_this_task_stack(&next.tasks);
}

void worker::count_stack_use(const task_fiber& suspended) noexcept {
  const auto used = static_cast<std::uint64_t>(static_cast<const char*>(suspended.memory().top()) -
                                               static_cast<const char*>(__builtin_frame_address(0)));
  counters.suspended_bytes.increment_unshared(used);
  if (used > counters.suspended_bytes_max.load(order::relaxed))
    counters.suspended_bytes_max.store(used, order::relaxed);
}

// Inlined for the same reason as fiber::switch_to().
[[gnu::always_inline]] inline void worker::leave_stack(waiter& who, bool (*publish)(void*), void* argument) noexcept {
  task_fiber& self = *m_current;
  task_fiber& next = *m_idle_fibers.back();
  m_idle_fibers.pop_back();
  counters.suspensions.increment_unshared();
  count_stack_use(self);
  m_pending = {publish, argument, &who, nullptr};
  self.is_blocked = true;
  const std::int64_t left = self.tasks.samples != 0 ? ticks_now() : 0;
  set_current(next);
  self.switch_to(next, *m_exceptions);
  if (left != 0) self.tasks.suspended_ticks += ticks_now() - left;
  self.is_blocked = false;
  after_switch(); // possibly on another worker
  if (self.tasks.running) tell(event_kind::task_resumed, *self.tasks.running->task);
}

void worker::suspend(waiter& who, bool (*publish)(void*), void* argument) {
  prepare_to_suspend();
  if (TREADLE_UNLIKELY(lends())) end_blocking(); // this worker goes on with other tasks
  end_phase();
  background_polling::flush();
  if (const running_task* const running = m_current->tasks.running) tell(event_kind::task_suspended, *running->task);
  leave_stack(who, publish, argument);
}

void worker::suspend_releasing(waiter& who, spinlock& lock) noexcept {
  if (TREADLE_UNLIKELY(lends() || is_wanted(event_kind::task_suspended))) { // the lock is not kept that long
    lock.unlock();
    return who.block();
  }
  end_phase();
  const auto release = [](void* held) {
    static_cast<spinlock*>(held)->unlock();
    return true;
  };
  leave_stack(who, release, &lock);
}

void worker::resume(task_fiber& blocked) {
  task_fiber& self = *m_current;
  counters.resumptions.increment_unshared();
  m_pending.recycle = &self;
  set_current(blocked);
  self.switch_to(blocked, *m_exceptions);
  after_switch(); // this fiber was taken from the pool again, possibly by another worker
}

TREADLE_NOINLINE void worker::after_switch() noexcept {
  worker& w = *this_worker();
  auto& action = w.m_pending; // member by member: a wider load would wait for the stores before it
  if (task_fiber* const left = std::exchange(action.recycle, nullptr)) {
    if (w.m_idle_fibers.size() < k_idle_fibers_max)
      w.m_idle_fibers.push_back(left);
    else
      w.m_scheduler.give_fiber(left);
  } else if (waiter* const who = std::exchange(action.who, nullptr)) {
    who->begin_to_wait(action.publish, action.argument);
  }
}

} // namespace treadle::detail
