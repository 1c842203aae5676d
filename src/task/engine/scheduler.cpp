#include "task/engine/scheduler.hpp"

#include "decide/bottom_levels.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/overflow.hpp"
#include "task/latent/nudge.hpp"
#include "task/latent/promoted_task.hpp"
#include "task/worker/worker_hook.hpp"
#include "topology/kept_off.hpp"

#include <algorithm>
#include <cstdio>

#include <map>
#include <pthread.h>
#include <string>

namespace treadle::detail {

static constinit atomic<std::uint64_t> next_serial{1};

namespace {

/// Null where the caller is none of them.
worker* caller_among(const idle_workers& of) noexcept {
  worker* const here = this_worker();
  return here && &here->owner().idle == &of ? here : nullptr;
}

/// Threads outside and workers of other pools who wake a worker are near to nobody.
std::span<const unsigned> nearest_to_caller(const idle_workers& of) noexcept {
  const worker* const here = caller_among(of);
  return here ? std::span(here->near().workers) : std::span<const unsigned>();
}

/// A worker that went to sleep where its waker runs now is often woken there, because the system looks for an idle
/// hardware thread only on machines that seem to have many; then the two share that one for a tenth of a second.
void wake_elsewhere(const idle_workers& of, unsigned number, atomic<std::uint32_t>& word) noexcept {
  worker* const here = caller_among(of);
  if (here && !here->owner().shares_cores) {
    const worker& sleeper = here->owner().workers[number];
    const int cpu = sched_getcpu();
    here->cpu.store(cpu, order::relaxed);
    if (sleeper.cpu.load(order::relaxed) == cpu) {
      const kept_off not_here(sleeper.thread_id.load(order::relaxed), cpu);
      return futex_wake(word);
    }
  }
  futex_wake(word);
}

} // namespace

scheduler::scheduler(const setup& wanted, const runtime_options& resolved, runtime& owner)
    : work_signals(wanted.described.workers + wanted.spares, {nearest_to_caller, wake_elsewhere}),
      active(wanted.active),
      workers(wanted.described.workers + wanted.spares),
      facade(owner),
      stack_bytes(wanted.described.stack_bytes),
      name(wanted.described.name),
      is_default(name == "default"),
      policy(wanted.described.policy),
      lends(wanted.lends),
      shares_cores(wanted.shares_cores),
      share(wanted.described.workers),
      serial(next_serial.fetch_add(1, order::relaxed)),
      m_workers_max(wanted.described.workers),
      m_spares_max(wanted.spares),
      m_first_worker(wanted.first),
      m_first_spare(wanted.first_spare),
      m_nudges(resolved.nudge && (m_workers_max > 1 || lends) && enable_nudges()),
      m_hooks(resolved.hooks) {
  set_ordering(true);
  outside_at_start.add(counted_outside);
  init_asymmetric_fence();
  report_stack_overflows();
}

void scheduler::start() {
  m_has_started.store(true, order::relaxed);
  on_duty.set_wanted(m_workers_max);
  add_workers();
  const std::lock_guard nobody_is_added(m_adding);
  if (m_threads.size() < m_workers_max) std::rethrow_exception(m_failure); // no more threads or memory to be had
}

void scheduler::run_worker(worker& w) noexcept {
  char thread_name[16];
  std::snprintf(thread_name, sizeof thread_name, "%s-%u", is_default ? "treadle" : name.substr(0, 10).c_str(),
                w.index());
  pthread_setname_np(pthread_self(), thread_name); // until then it has that of the thread that made it
  w.take_place();
  if (m_nudges) accept_nudges();
  call_worker_hook(m_hooks.on_start, m_hooks.context, w.number());
  w.thread_main();
  call_worker_hook(m_hooks.on_stop, m_hooks.context, w.number());
}

void scheduler::add_workers() noexcept {
  while (on_duty.lacks_worker()) {
    const std::lock_guard one_at_a_time(m_adding);
    if (!m_has_started.load(order::relaxed) || exiting.load(order::relaxed))
      return; // from then on m_threads is changed only by stop_workers()
    const auto i = static_cast<unsigned>(m_threads.size());
    if (i == m_workers_max + m_spares_max || !on_duty.take()) return;
    const bool is_spare = i >= m_workers_max;
    const unsigned number = is_spare ? m_first_spare + i - m_workers_max : m_first_worker + i;
    try {
      if (i == workers.size()) // else there was no thread to be had for it
        workers.add(std::make_unique<worker>(*this, i, number, m_workers_max + m_spares_max));
      m_threads.emplace_back([this, i] { run_worker(workers[i]); });
    } catch (...) { // no more threads or memory to be had
      m_failure = std::current_exception();
      if (i < workers.size()) workers[i].stay_away();
      on_duty.lend();
      return;
    }
  }
}

void scheduler::set_active(unsigned n) noexcept {
  on_duty.set_wanted(n);
  add_workers();
}

void scheduler::end() {
  await_visitors(); // their tasks count as in flight; nobody finds this scheduler any more
  wait_idle();
  await_visitors(); // threads on their way out of inject()
  stop_workers();
}

scheduler::~scheduler() {
  end();
  workers.clear();
  for (task_fiber* f : m_idle_fibers) delete_fiber(f);
}

void scheduler::stop_workers() noexcept {
  {
    const std::lock_guard nobody_is_added(m_adding);
    exiting.store(true, order::relaxed);
  }
  on_duty.set_wanted(m_workers_max + m_spares_max);
  idle.wake_all();
  for (auto& t : m_threads) t.join();
  m_threads.clear();
}

void scheduler::set_ordering(bool ordered) {
  if (!goes_by_paths()) return;
  const std::lock_guard guard(m_ordering);
  if (ordered && !m_learning) m_learning.emplace();
  if (!ordered) m_learning.reset();
  m_is_ordering.store(ordered, order::relaxed);
}

void scheduler::await_visitors() noexcept {
  while (m_injecting.load(order::acquire) != 0) std::this_thread::yield(); // a matter of instructions
}

/// Some of them, and all that are critical: how long they wait.
static void stamp(job& item, priority level) noexcept {
  if constexpr (k_counts) {
    thread_local auto jobs = static_cast<std::uint64_t>(ticks_now()); // from anywhere: a thread may have one job only
    if (is_stamped(++jobs) || level == priority::critical) item.queued_at = ticks_now();
  }
}

void scheduler::inject_resumed(job& item, worker& where) {
  enter();
  if (places_jobs()) {
    place_again(item, where, false);
  } else {
    stamp(item, priority::normal);
    push_resumed(item);
  }
  leave();
}

void scheduler::inject(job& item, const placement& where) {
  enter(); // before the job can run: it may be the last one the runtime waits for
  stamp(item, where.level);
  goes_by_paths() && where.is_usual() && !orders(item) ? queue_unordered(item, false) : place(item, where);
  leave();
}

void scheduler::place(job& item, const placement& where) noexcept {
  if (goes_by_paths() && where.level != priority::low) return queue_by_path(item, where);
  if (has_queues_of_workers() && where.level != priority::low)
    return queue_with(with_whom(where), item, where.level, false);
  push_injected(item, where.level);
}

/// The one that was asked for, or by turns.
worker& scheduler::with_whom(const placement& where) noexcept {
  const unsigned n = workers.size();
  worker* with = where.worker >= 0 ? &workers[static_cast<unsigned>(where.worker) % m_workers_max] : nullptr;
  for (unsigned i = 0; i < n && (!with || with->is_away()); ++i)
    with = &workers[m_turn.fetch_add(1, order::relaxed) % n];
  return *with;
}

static float ticks_per_ns() noexcept {
  static const float ticks = static_cast<float>(ns_to_ticks(1 << 20)) / (1 << 20);
  return ticks;
}

void scheduler::queue_by_path(job& item, const placement& where) noexcept {
  worker* const here = this_worker();
  const bool keeps = here && &here->owner() == this && where.worker < 0; // its maker runs it, or gives it to a thief
  worker& with = keeps ? *here : with_whom(where);
  const float path = where.path_ns >= 0 ? ticks_per_ns() * where.path_ns : path_of(item);
  if (!with.ordered->push(&item, where.level, path)) return push_injected(item, where.level);
  keeps ? notify_work(with.ordered->size() > 1 || !with.tasks.empty()) : notify_injected();
}

/// Where paths are gone by: as work-stealing does.
void scheduler::queue_unordered(job& item, bool goes_on) noexcept {
  worker* const here = this_worker();
  if (here && &here->owner() == this) return here->push(item);
  goes_on ? push_resumed(item) : push_injected(item);
}

void scheduler::place_again(job& item, worker& where, bool yields) noexcept {
  if (has_queues_of_workers()) return queue_with(where, item, priority::normal, yields);
  if (goes_by_paths() && !yields) return orders(item) ? queue_by_path(item, {}) : queue_unordered(item, true);
  push_injected(item);
}

void scheduler::queue_with(worker& where, job& item, priority level, bool behind) noexcept {
  const bool only_its = policy == scheduling::static_placement && !where.is_away();
  const unsigned index = where.index();
  if (policy == scheduling::local_priority_lifo && !behind)
    where.placed->push_first(&item, level);
  else
    where.placed->push(&item, level); // may be run before this returns
  only_its ? idle.notify_injected(index) : notify_injected();
}

/// Where jobs are queued with workers: from its own queue, and that of others as far as the policy lets it.
bool scheduler::may_take(const worker& thief, const worker& from) const noexcept {
  return &thief == &from || policy != scheduling::static_placement || from.is_away();
}

job* scheduler::steal_from(worker& victim, worker& thief) noexcept {
  if (&victim == &thief || on_duty.is_quiet(victim.index())) return nullptr;
  thief.counters.steals_tried.increment_unshared();
  job* item = nullptr;
  if (victim.placed) {
    if (may_take(thief, victim)) item = victim.placed->pop_any(thief);
  } else {
    if (victim.ordered) item = victim.ordered->pop(thief);
    if (!item) item = victim.tasks.steal();
  }
  if (!item) item = thief.latent.accept_from(victim.latent);
  if (!item) return nullptr;
  thief.steals.note_victim(victim);
  if (is_wanted(event_kind::steal))
    emit({.kind = event_kind::steal, .task = number_of(item), .value = static_cast<double>(victim.number())});
  return item;
}

job* scheduler::steal(worker& thief, xorshift& random) noexcept {
  const unsigned all = workers.size();
  const auto& [near, ends] = thief.near();
  unsigned begin = 0;
  for (const unsigned end : ends) {
    const unsigned n = end - begin, start = random.below(n);
    for (unsigned i = 0; i < n; ++i) {
      const unsigned victim = near[begin + (start + i) % n];
      if (victim >= all) continue; // it does not run yet
      if (job* item = steal_from(workers[victim], thief)) return item;
    }
    begin = end;
  }
  const unsigned known = ends.empty() ? 0 : std::min(ends.back() + 1, all); // the others are spare, or all are alike
  const unsigned n = all - known, start = n == 0 ? 0 : random.below(n);
  for (unsigned i = 0; i < n; ++i)
    if (job* item = steal_from(workers[known + (start + i) % n], thief)) return item;
  return nullptr;
}

job* scheduler::pop_longest(worker& who, xorshift& random) noexcept {
  const auto n = static_cast<unsigned>(workers.size());
  worker* most = &who;
  for (unsigned looks = std::min(decide::k_looks_at_others, n - 1); looks > 0; --looks) {
    worker& other = workers[(who.index() + 1 + random.below(n - 1)) % n];
    if (other.ordered->first() > most->ordered->first()) most = &other;
  }
  if (most != &who)
    if (job* item = steal_from(*most, who)) return item;
  return who.ordered->pop(who);
}

bool scheduler::nudge_somebody(worker& thief, xorshift& random) noexcept {
  return m_nudges &&
         (nudge_one(thief, random) ||
          (lends && between_pools().nudge_borrowers(*this, [&](scheduler& s) { return s.nudge_one(thief, random); })));
}

bool scheduler::nudge_one(worker& thief, xorshift& random) noexcept {
  const auto n = static_cast<unsigned>(workers.size());
  const unsigned start = random.below(n);
  for (unsigned i = 0; i < n; ++i) {
    worker& other = workers[(start + i) % n];
    if (&other != &thief && !on_duty.is_quiet(other.index()) && other.latent.nudge()) return true;
  }
  return false;
}

bool scheduler::is_visible_to(unsigned index) const noexcept {
  if (policy != scheduling::static_placement) return work_is_visible();
  if (!injected.empty()) return true;
  return std::any_of(workers.begin(), workers.end(), [&](const auto& w) {
    return w->latent.has_handed() || (w->has_placed() && may_take(workers[index], *w));
  });
}

std::uint64_t scheduler::tasks_created() const noexcept {
  std::uint64_t sum = injected_tasks.load(order::relaxed);
  for (const auto& w : workers) sum += w->counters.created.load(order::relaxed);
  return sum;
}

bool scheduler::runs() const noexcept {
  if (work_is_visible() || timers.somebody_sleeps()) return true;
  return std::any_of(workers.begin(), workers.end(),
                     [](const auto& w) { return !w->looks_for_work.load(order::relaxed) || w->lends(); });
}

std::uint64_t scheduler::progress() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& w : workers)
    sum += w->counters.finished.load(order::relaxed) + w->counters.resumptions.load(order::relaxed);
  return sum;
}

std::size_t scheduler::suspended_coroutines() const noexcept {
  const auto number = [](const readiness_counts& c) { return c.coroutines.load(order::relaxed); };
  std::uint64_t sum = number(counted_outside) - number(outside_at_start);
  for (const auto& pool : pools_of(facade)) {
    for (const auto& w : pool->workers) sum += number(w->counters);
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(static_cast<std::int64_t>(sum), 0));
}

std::string scheduler::blocked_tasks() const {
  std::map<std::string, std::size_t> names;
  {
    const scoped_lock guard(m_fiber_lock);
    for (const task_fiber* f = m_fibers; f; f = f->next) {
      if (!f->is_blocked) continue;
      const task_name task = f->tasks.running ? f->tasks.running->task->name() : name_from("a task");
      ++names[std::string(task.text, task.bytes)];
    }
  }
  if (is_default) { // once, for all pools: they are in none
    if (const std::size_t coroutines = suspended_coroutines()) names["a coroutine that awaits a future"] = coroutines;
  }
  std::string lines;
  for (const auto& [task, times] : names) {
    lines += "  " + task + (is_default ? "" : ", pool '" + name + "'");
    lines += times == 1 ? "\n" : " (" + std::to_string(times) + " times)\n";
  }
  return lines;
}

task_fiber* scheduler::make_fiber() {
  auto* f = new task_fiber(stack_bytes, &worker::fiber_main);
  stacks.fetch_add(1, order::relaxed);
  const scoped_lock guard(m_fiber_lock);
  f->next = m_fibers;
  if (m_fibers) m_fibers->previous = f;
  return m_fibers = f;
}

void scheduler::delete_fiber(task_fiber* f) noexcept {
  {
    const scoped_lock guard(m_fiber_lock);
    (f->previous ? f->previous->next : m_fibers) = f->next;
    if (f->next) f->next->previous = f->previous;
  }
  stacks.fetch_sub(1, order::relaxed);
  forget_paths(f->tasks);
  delete f;
}

task_fiber* scheduler::take_fiber() {
  {
    const scoped_lock guard(m_fiber_lock);
    if (!m_idle_fibers.empty()) {
      task_fiber* f = m_idle_fibers.back();
      m_idle_fibers.pop_back();
      return f;
    }
  }
  return make_fiber();
}

void scheduler::give_fiber(task_fiber* idle_fiber) noexcept {
  {
    scoped_lock guard(m_fiber_lock);
    if (m_idle_fibers.size() < 64 + 16 * workers.size()) {
      try {
        m_idle_fibers.push_back(idle_fiber);
        return;
      } catch (...) { // no memory for the list: let the stack go instead
      }
    }
  }
  delete_fiber(idle_fiber);
}

} // namespace treadle::detail
