#include <treadle/executors.hpp>

#include "task/counters/task_events.hpp"
#include "task/engine/scheduler.hpp"

#include <treadle/async.hpp>

#include <stdexcept>

namespace treadle {

namespace detail {

namespace {

/// Null where none was named.
scheduler* host_of(const placement& where) noexcept { return where.pool ? &where.pool->host() : nullptr; }

} // namespace

bool pins_at(const placement& where) noexcept {
  const worker* here = this_worker();
  const scheduler* const to = host_of(where);
  const bool stays = here && (!to || (to == &here->owner() && to->lends));
  return stays ? here->owner().pins() : to && to->pins_what_is_sent();
}

void queue_at(job& item, const placement& where) {
  worker* here = this_worker();
  scheduler* const to = host_of(where);
  const bool at_home = here && (!to || to == &here->owner());
  if (where.is_usual() && (at_home || !to)) return queue_here(item);
  if (to || here) return (to ? *to : here->owner()).submit(item, where);
  scheduler& pool = enter_current_scheduler();
  pool.submit(item, where);
  pool.leave();
}

void schedule_at(job& task, const placement& where) {
  tell(event_kind::task_created, task);
  queue_at(task, where);
}

void schedule_at(future_state& task, const placement& where) {
  if (pins_at(where)) task.pin();
  schedule_at(static_cast<job&>(task), where);
}

bool is_at(const placement& where) noexcept {
  worker* here = this_worker();
  const scheduler* const to = host_of(where);
  return here && where.is_usual() && (!to || to == &here->owner());
}

const char* name_of_pool(const placement& where) noexcept { return where.pool->name.c_str(); }

executable make_executable(future_state& task) noexcept {
  tell(event_kind::task_created, task);
  task.pin();
  return executable(intrusive_ptr<future_state>::share(&task));
}

limiter::limiter(unsigned most) : m_left(most) {
  if (most == 0) throw std::invalid_argument("limiting_executor: no task could ever run");
}

void limiter::add(executable task) noexcept {
  {
    const scoped_lock guard(m_lock);
    if (m_left == 0) {
      job* const last = task.m_task.detach();
      last->next_job = nullptr;
      (m_last ? static_cast<job*>(m_last)->next_job : m_first) = last;
      m_last = last;
      return;
    }
    --m_left;
  }
  start_or_break(std::move(task));
}

void limiter::go_on() noexcept {
  for (;;) {
    job* next = nullptr;
    {
      const scoped_lock guard(m_lock);
      next = m_first;
      if (!next)
        ++m_left;
      else if (!(m_first = next->next_job))
        m_last = nullptr;
    }
    if (!next) return;
    executable one(intrusive_ptr<future_state>::adopt(static_cast<future_state*>(next)));
    if (stack_has_room()) return start_or_break(std::move(one));
    // An executor that runs what it is given at once has ended the one before inside of this call, and so on.
    try {
      auto self = intrusive_ptr<limiter>::share(this);
      static_cast<void>(start_task(launch::async, [self = std::move(self), task = std::move(one)]() mutable {
        self->start_or_break(std::move(task));
      }));
      return;
    } catch (...) { // no memory: it was dropped, and so broken
    }
  }
}

void limiter::start_or_break(executable task) noexcept {
  try {
    start(std::move(task));
  } catch (...) { // no memory: it was dropped, and so broken, and the next one has begun
  }
}

} // namespace detail

executable::~executable() {
  if (m_task && m_task->claim_to_break()) m_task->complete_with(detail::make_broken_promise());
}

void executable::operator()() noexcept {
  if (const auto task = std::exchange(m_task, nullptr)) task->try_run();
}

} // namespace treadle
