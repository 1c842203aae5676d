#include <treadle/detail/future_state.hpp>

#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/scheduler.hpp"
#include "task/state/entry.hpp"
#include "task/state/running_scope.hpp"
#include "task/wait/limited_wait.hpp"
#include "task/wait/wait_for_state.hpp"

#include <treadle/detail/deadline.hpp>
#include <treadle/executors.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace treadle::detail {

bool future_state::try_run() noexcept {
  if (!m_claim.claim()) return false;
  const running_scope running(*this);
  execute(sharing::shared);
  return true;
}

// Part of its callers: each call is one that every task in place would make.
[[gnu::always_inline]] inline void future_state::execute_claimed(sharing s, task_stack* here) noexcept {
  if (!here || is_wanted(event_kind::task_started)) return execute_and_tell(s);
  running_on_stack running; // as a running_scope, without its tests
  running.begin(*here, *this);
  execute(s);
  if (TREADLE_UNLIKELY(forked_in_task.load(order::relaxed))) end_forked_task();
  running.end(*here);
  tell(event_kind::task_finished, *this);
}

void future_state::execute_and_tell(sharing s) noexcept { // apart, so that the other needs no register for `s`
  const running_scope running(*this);
  execute(s);
}

void future_state::run_unoffered(sharing s) noexcept { execute_claimed(s, this_task_stack()); }

void future_state::run_directly(sharing s) noexcept {
  count(&readiness_counts::direct);
  run_unoffered(s);
}

namespace {

/// In the pool of the task, or where the caller runs. Returns the number before.
std::uint64_t count_for(const placement* where, atomic<std::uint64_t> readiness_counts::* what, std::uint64_t by = 1) {
  scheduler* const pool = where ? where->pool : nullptr;
  if (TREADLE_LIKELY(!pool)) return count(what, by);
  const worker* const w = this_worker();
  return w && &w->owner() == pool ? count(what, by) : (pool->counted_elsewhere.*what).fetch_add(by, order::relaxed);
}
bool is_critical(const placement* where) noexcept { return where && where->level == priority::critical; }

} // namespace

void future_state::begin_staging(const placement* where) noexcept {
  tell(event_kind::task_created, *this);
  if (is_stamped(count_for(where, &readiness_counts::staged)) || is_critical(where)) queued_at = ticks_now();
}

void future_state::miss_input() noexcept {
  count(&readiness_counts::staged_accesses);
  count(&readiness_counts::staged_misses);
}

void future_state::end_staging(const placement* where) noexcept {
  count_for(where, &readiness_counts::staged_accesses);
  if (queued_at == 0) return;
  const auto waited = static_cast<std::uint64_t>(std::max<std::int64_t>(ticks_now() - std::exchange(queued_at, 0), 0));
  const auto [ticks, waits] = is_critical(where) ? readiness_counts::k_critical : readiness_counts::k_other;
  count_for(where, ticks, waited);
  count_for(where, waits);
  add_wait(*this, profile_field::staged_ticks, is_critical(where) ? waited : k_queued_per_stamp * waited);
}

[[gnu::always_inline]] inline void future_state::run_taken_here(sharing s, task_stack& here) noexcept {
  const auto execute_unshared = [this, &here] { execute_claimed(sharing::unshared, &here); };
  if (s == sharing::shared || !run_entry_unshared(m_refs, m_claim, execute_unshared)) {
    try_run();
    return end_entry();
  }
  here.runner->counters.count_finished();
}

void future_state::run_taken(sharing s) noexcept { run_taken_here(s, *this_task_stack()); }

void future_state::run() noexcept {
  if (m_claim.claim()) {
    this_worker()->phases.name_wait(*this);
    execute_claimed(sharing::shared, this_task_stack());
  } else {
    this_worker()->phases.cancel();
  }
  end_entry();
}

void future_state::end_entry() noexcept {
  release();
  this_worker()->counters.count_finished();
}

bool future_state::discard_if_stale() noexcept {
  if (!is_claimed()) return false;
  end_entry();
  return true;
}

void note_input(const future_state& node, const future_state& input) noexcept {
  if (paths_are_learned.load(order::relaxed)) learn_input(node, input);
  if (is_told(event_kind::input_attached)) tell_dependence(event_kind::input_attached, &node, &input);
}

void note_no_task(const future_state& state) noexcept {
  if (is_told(event_kind::state_made)) emit({.kind = event_kind::state_made, .task = number_of(&state)});
}

void note_forwarding(future_state& outer, const future_state& inner) noexcept {
  note_input(outer, outer);
  note_input(outer, inner);
  tell_join(outer, "unwrapped future", false);
}

using blocked_get = wait_for_state<future_state, waiter>;

/// A wait for a task on the calling stack could not end.
void future_state::refuse_own_task() const {
  if (!is_running_here(this)) return;
  const task_name own = name();
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "a task waits for its own future, " + std::string(own.text, own.bytes));
}

/// Runs the task where that is possible. Part of its callers: chains of deferred tasks nest as deeply as stacks allow.
[[gnu::always_inline]] inline bool future_state::becomes_ready_here(sharing s) {
  const std::uint8_t claimable = m_claim.state();
  if (claimable == claim_word::k_deferred) {
    if (worker* w = this_worker()) w->makes_way();
    if (stack_has_room())
      static_cast<void>(try_run() && count(&readiness_counts::direct));
    else
      start_deferred();
  } else if (claimable == claim_word::k_available || claimable == claim_word::k_pinned) {
    task_stack* const here = this_task_stack();
    if (TREADLE_LIKELY(here && has_room(*here)))
      here->runner->take_newest(*this) ? run_taken_here(s, *here) : here->runner->run_in_place(*this, s);
  }
  if (is_ready()) return true;
  refuse_own_task();
  return false;
}

void future_state::wait_slow(sharing s) {
  if (TREADLE_UNLIKELY(records_dependences())) return wait_and_tell(s);
  if (!becomes_ready_here(s)) blocked_get(*this).block();
}

TREADLE_NOINLINE void future_state::wait_and_tell(sharing s) {
  const bool is_there = is_ready();
  const told_wait told(this, is_there ? awaited::ready_state : awaited::open_state);
  if (!is_there && !becomes_ready_here(s)) blocked_get(*this).block();
}

bool future_state::wait_or_stop(stop_signal& stop) {
  const told_wait told(this, is_ready() ? awaited::ready_state : awaited::open_state);
  if (is_ready()) return true;
  if (stop.is_requested()) return false;
  return becomes_ready_here(sharing::shared) || block_within(k_no_deadline, &stop);
}

void queue_here(job& task) {
  if (worker* w = this_worker()) {
    w->push_new(task);
  } else {
    scheduler& s = enter_current_scheduler();
    s.submit(task);
    s.leave();
  }
}

namespace {

/// What the caller creates stays in its pool.
std::uint8_t offered_here() noexcept {
  const worker* w = this_worker();
  return w && w->owner().pins() ? claim_word::k_pinned : claim_word::k_available;
}

} // namespace

template <class Queue>
void future_state::queue_or_fail(Queue queue) noexcept {
  try {
    queue(*this);
  } catch (...) {
    if (m_claim.claim()) complete_with(std::current_exception());
    release();
  }
}

void future_state::start_deferred_slow() noexcept {
  if (!m_claim.end_deferral(offered_here())) return;
  add_ref();
  queue_or_fail(queue_here); // the one that comes first, a worker or a waiting get(), wins the claim
}

void future_state::schedule_or_fail() noexcept {
  m_claim.offer(offered_here());
  queue_or_fail(queue_here);
}

void future_state::schedule_or_fail(const placement& where) noexcept {
  m_claim.offer(pins_at(where) ? claim_word::k_pinned : claim_word::k_available);
  queue_or_fail([&where](job& task) { queue_at(task, where); });
}

bool future_state::wait_until(std::int64_t deadline_ns, stop_signal* stop) {
  if (is_ready()) return true;
  if (stop && stop->is_requested()) return false;
  return deadline_ns > steady_now_ns() && block_within(deadline_ns, stop);
}

bool future_state::block_within(std::int64_t deadline_ns, stop_signal* stop) {
  prepare_to_block();
  limited_wait_for_state<future_state, waiter> wait(*this);
  return !try_attach(wait) || block_within_limits(wait, deadline_ns, stop);
}

void schedule(job& task) {
  tell(event_kind::task_created, task);
  queue_here(task);
}

void schedule(future_state& task) {
  worker* const w = this_worker();
  if (TREADLE_UNLIKELY(w && w->owner().pins())) task.pin();
  if (TREADLE_LIKELY(w && !is_wanted(event_kind::task_created))) return w->push_new(task);
  schedule(static_cast<job&>(task));
}

void schedule_fork(future_state& task) {
  if (!on_worker()) return schedule(task);
  struct exposed {
    waiter creator;
    future_state* task;
  } state{{}, &task};
  tell(event_kind::task_created, task);
  try {
    state.creator.block(
        [](void* argument) {
          auto* self = static_cast<exposed*>(argument);
          future_state* child = self->task;
          worker* here = this_worker();
          here->counters.created.increment_unshared();
          self->creator.notify(); // from here on the creator may run elsewhere and its frame be gone
          here->begin_phase(*child);
          child->run();
          this_worker()->end_phase();
          return true;
        },
        &state);
  } catch (...) { // no stack to be had: let others start the child instead
    if (offered_here() == claim_word::k_pinned) task.pin();
    queue_here(task);
  }
}

} // namespace treadle::detail
