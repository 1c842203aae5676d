#include "task/worker/worker.hpp"

#include "base/alternate_stack.hpp"
#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/background.hpp"
#include "task/engine/scheduler.hpp"
#include "task/timing.hpp"

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

constexpr std::uint32_t k_fair_period = 61; // how often other work goes before that of which a worker has plenty

std::uint64_t now_in_ms() noexcept { return static_cast<std::uint64_t>(steady_now_ns()) / 1'000'000; }

void note_hunger() noexcept {
  const std::uint64_t now_ms = now_in_ms();
  if (last_hungry_ms.load(order::relaxed) != now_ms) last_hungry_ms.store(now_ms, order::relaxed);
}

} // namespace

bool somebody_was_hungry_lately() noexcept { return now_in_ms() - last_hungry_ms.load(order::relaxed) <= 1; }

worker::worker(scheduler& owner, unsigned index, unsigned number, unsigned capacity)
    : samples(number + 1),
      phases(counters, samples),
      stacks(*this, owner),
      stale(*this),
      latent(*this),
      steals(capacity),
      m_scheduler(owner),
      m_index(index),
      m_number(number),
      m_places(owner.places_jobs()),
      m_stamps(index + 1, m_places),
      m_random(~std::uint64_t{index}),
      placed(owner.has_queues_of_workers() ? std::make_unique<injected_jobs>() : nullptr),
      ordered(owner.goes_by_paths() ? std::make_unique<ordered_jobs>() : nullptr) {}

unsigned worker::worker_count() const noexcept { return std::max(m_scheduler.share.load(order::relaxed), 1u); }
unsigned pool_workers() noexcept { return this_worker()->worker_count(); }

void worker::thread_main() {
  const alternate_stack for_signals;
  thread_id.store(gettid(), order::relaxed);
  counters.alive.begin(ticks_now());
  set_worker_number(static_cast<int>(number()));
  come_on_duty();
  stacks.run(); // until scheduling_loop() has found the runtime exiting
  thread_id.store(0, order::relaxed);
  set_this_task_stack(nullptr);
}

void worker::fiber_main(fiber&, fiber&) {
  stack_switch::after_switch();
  for (;;) {
    scheduling_loop();
    this_worker()->stacks.return_to_thread(); // the runtime is exiting
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

void worker::look_at_cores() noexcept { m_scheduler.active.look_at_cores(steady_now_ns()); }

void worker::begin_sample() noexcept {
  look_at_cores();
  take_place();
  phases.begin_sample();
}

/// Each job in pools that place them, unless they do not order them now.
std::int64_t worker::queue_stamped(job& item) noexcept {
  if (ordered) m_stamps.set_all_due(m_scheduler.is_ordering());
  m_stamps.stamp(item, samples, stacks.current().tasks);
  if (!m_places || (ordered && !m_scheduler.orders(item))) return queue_in_deque(item);
  m_scheduler.place(item);
  return 0;
}

std::int64_t worker::queue_in_deque(job& item) noexcept {
  try {
    return tasks.push(&item);
  } catch (...) { // no memory to grow: a queue that needs none
    m_scheduler.push_injected(item);
    return 0;
  }
}

std::int64_t worker::queue(job& item) noexcept { return m_stamps.due() ? queue_stamped(item) : queue_in_deque(item); }

void worker::push(job& item) noexcept {
  if (const std::int64_t size = queue(item)) notify_pushed(size);
}

void worker::notify_pushed(std::int64_t size) noexcept {
  m_scheduler.notify_work(size > 1 || (ordered && !ordered->empty()));
}

void worker::push_stamped(job& task) noexcept {
  const std::int64_t size = queue_stamped(task);
  if (size == 0 && ordered && ordered->wants_sweep()) return stale.drop_ordered();
  note_pushed(size);
}

void worker::push_and_grow(job& task) noexcept { note_pushed(queue_in_deque(task)); }

void worker::note_pushed(std::int64_t size) noexcept {
  if (size != 0) notify_pushed(size);
  stale.note_size(size);
}

void worker::run_in_place(future_state& task, sharing s) {
  if (makes_way()) return this_worker()->run_out_of_order(task);
  if (stale.may_be_on_top()) return run_among_stale(task, s);
  if (!take_newest(task)) return run_out_of_order(task);
  task.run_taken(s); // it has blocked until now
}

void worker::run_among_stale(future_state& task, sharing s) {
  worker* here = this;
  job* const top = stale_entries::pop_live(here);
  if (top != &task) {
    if (top) here->push(*top); // not tasks.push(): somebody may have looked meanwhile and gone to sleep
    return here->run_out_of_order(task);
  }
  here->counters.inlined.increment_unshared();
  task.run_taken(s);
  // What lies below may be what was got before; a program that never leaves this task would keep all of that.
  here = this_worker();
  if (job* next = stale_entries::pop_live(here)) here->push(*next);
}

void worker::run_out_of_order(future_state& task) {
  if (task.is_pinned() || !task.try_run()) return;
  worker* const here = this_worker();
  here->counters.inlined.increment_unshared();
  stale_entries::note_out_of_order(here, !here->ordered || !here->owner().orders(task));
}

/// Nothing inside of a listener or rule: who runs it might have to wait for the end of that call.
void worker::promote_oldest(task_stack& current) noexcept {
  if (callback_scope::is_inside()) return;
  if (is_asked_to_leave()) return give_way();
  latent.promote_oldest(current);
}

void worker::run_timers() noexcept { m_scheduler.timers.run_due(); }

/// Short tasks go first, which are in the deque, but for urgent ones. They may make others for ever, and so may those
/// with the longest paths, so now and then others go before them.
job* worker::next_by_path() {
  m_stamps.set_all_due(m_scheduler.is_ordering());
  injected_jobs& injected = m_scheduler.injected;
  if (ordered->has_urgent())
    if (job* item = pop_placed()) return item;
  const std::uint32_t turn = ++m_looks % k_fair_period;
  const bool is_odd = m_looks / k_fair_period % 2 != 0;
  job* item = nullptr;
  if (turn == 0)
    item = is_odd ? pop_placed() : injected.pop_normal();
  else if (turn == k_fair_period / 2)
    item = is_odd ? tasks.steal() : ordered->pop_oldest(*this);
  else
    item = injected.pop_resumed();
  if (!item) item = tasks.pop();
  if (!item) item = pop_placed();
  if (!item) item = latent.accept_from(latent);
  return item ? item : injected.pop_any(*this);
}

job* worker::next_nearby() {
  run_timers();
  injected_jobs& injected = m_scheduler.injected;
  if (TREADLE_UNLIKELY(m_places)) {
    if (ordered) return next_by_path();
    if (placed) {
      job* item = pop_placed();
      return item ? item : latent.accept_from(latent);
    }
  }
  if (job* item = injected.pop_urgent(*this)) return item;
  const std::uint32_t turn = ++m_looks % k_fair_period;
  if (job* item = turn == 0                   ? injected.pop_normal()
                  : turn == k_fair_period / 2 ? tasks.steal()
                                              : injected.pop_resumed())
    return item;
  if constexpr (k_counts) counters.pending_accesses.increment_unshared();
  if (job* item = tasks.pop()) return item;
  if (job* item = latent.accept_from(latent)) return item;
  if constexpr (k_counts) counters.pending_misses.increment_unshared();
  return injected.pop_usual();
}

job* worker::pop_placed() noexcept {
  if (placed) return placed->pop_any(*this);
  return ordered ? m_scheduler.pop_longest(*this, m_random) : nullptr;
}

job* worker::look(std::int64_t ns) {
  background_polling messages(poller::idle);
  return look_for(ns, [&]() -> job* {
    const std::int64_t began = ticks_now();
    counters.pending_accesses.increment_unshared();
    counters.pending_misses.increment_unshared();
    if (job* item = pop_placed()) return item;
    if (job* item = m_scheduler.injected.pop_urgent(*this)) return item;
    if (job* item = m_scheduler.injected.pop_usual()) return item;
    if (job* item = m_scheduler.steal(*this, m_random)) {
      steals.note_time(began, ticks_now());
      return item;
    }
    if (job* item = m_scheduler.injected.pop_low()) return item;
    return messages.poll() ? tasks.pop() : nullptr;
  });
}

void worker::rest_if_due(std::int64_t now) noexcept {
  const std::int64_t rest_ns = steals.settle(now, counters.suspensions.load(order::relaxed));
  if (rest_ns == 0) return;
  const timespec rest{0, static_cast<long>(rest_ns)};
  counters.parked.begin(ticks_now());
  nanosleep(&rest, nullptr);
  counters.parked.end(ticks_now());
}

void worker::begin_searching() noexcept {
  phases.pause();
  const std::int64_t now = ticks_now();
  counters.searching.begin(now);
  rest_if_due(now);
  look_at_cores();
  take_place();
  cpu.store(sched_getcpu(), order::relaxed);
}

search_times worker::times() const noexcept {
  const std::int64_t nap = tunables::nap, search = m_scheduler.search_ns();
  return {.first = steals.is_low() ? timing::k_short_search : search,
          .after_wake = search,
          .short_look = timing::k_short_search,
          .nap = nap,
          .nap_max = std::max(timing::k_nap_max, nap),
          .napping = 6 * nap, // one costs the busy ones up to 20 us
          .napping_after_wake = timing::k_naps_after_wake,
          .watch = timing::k_watch};
}

bool worker::ask_busy() noexcept { return m_scheduler.nudge_somebody(*this, m_random); }

bool worker::sleep(std::int64_t ns, bool for_good) {
  note_hunger();
  if (for_good) counters.parks.increment_unshared();
  counters.parked.begin(ticks_now());
  if (is_wanted(event_kind::worker_parked)) emit({.kind = event_kind::worker_parked});
  cpu.store(sched_getcpu(), order::relaxed);
  const bool woken = sleep_for(ns);
  counters.parked.end(ticks_now());
  if (is_wanted(event_kind::worker_woken)) emit({.kind = event_kind::worker_woken});
  return woken;
}

void worker::take_place() noexcept { m_scheduler.active.place(m_number, m_placed, m_near); }

void worker::wait_for_slot() noexcept {
  phases.pause();
  counters.alive.end(ticks_now());
  if (is_wanted(event_kind::worker_parked)) emit({.kind = event_kind::worker_parked});
  m_scheduler.on_duty.wait(m_index);
  if (is_wanted(event_kind::worker_woken)) emit({.kind = event_kind::worker_woken});
  counters.alive.begin(ticks_now());
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
    latent.promote_all(stacks.current().tasks);
  } catch (...) { // no memory: it stays latent
  }
  begin_lending();
  return true;
}

void worker::end_blocking() noexcept {
  if (lends()) end_lending();
}

void refuse_in_callback() {
  if (callback_scope::is_inside())
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "a listener or rule must not wait for tasks");
}

void worker::get_idle_stack() {
  refuse_in_callback();
  latent.promote_all(stacks.current().tasks);
  if (!stacks.has_idle()) stacks.get_idle();
}

void worker::suspend(waiter& who, bool (*publish)(void*), void* argument) {
  prepare_to_suspend();
  if (TREADLE_UNLIKELY(lends())) end_blocking(); // this worker goes on with other tasks
  end_phase();
  background_polling::flush();
  if (const running_task* const running = stacks.current().tasks.running)
    tell(event_kind::task_suspended, *running->task);
  stacks.leave(who, publish, argument);
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
  stacks.leave(who, release, &lock);
}

} // namespace treadle::detail
