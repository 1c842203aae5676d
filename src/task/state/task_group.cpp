#include <treadle/task_group.hpp>

#include "task/counters/task_events.hpp"
#include "task/engine/scheduler.hpp"
#include "task/state/running_scope.hpp"
#include "task/wait/limited_wait.hpp"

#include <treadle/detail/deadline.hpp>

#include <thread>

namespace treadle {

using namespace detail;

void group_task::run() noexcept {
  task_group& group = m_group;
  // Here is a scheduling loop: the one that made the group on this stack has left it, and its owner may be on another
  // one.
  if (group.is_made_here()) group.m_owner.store(nullptr, order::relaxed);
  this_worker()->phases.name_wait(*this);
  group.execute(*this);
  if (group.m_count.finished_elsewhere()) group.m_waiter->notify();
  this_worker()->counters.count_finished(); // the group may be gone by now
}

void group_task::run_while_waiting() noexcept {
  task_group& group = m_group;
  group.execute(*this);
  group.is_made_here() ? group.m_count.finished_here() : static_cast<void>(group.m_count.finished_elsewhere());
  this_worker()->counters.count_finished();
}

task_group::task_group() noexcept { own(); }

task_group::~task_group() {
  if (m_count.all_finished()) return;
  cancel();
  wait_finished(nullptr);
}

void task_group::own() noexcept { m_owner.store(this_task_stack(), order::relaxed); }

bool task_group::is_made_here() const noexcept {
  const task_stack* owner = m_owner.load(order::relaxed);
  return owner && owner == this_task_stack();
}

void task_group::start(group_task& task) {
  const bool here = is_made_here();
  here ? m_count.started_here() : m_count.started_elsewhere();
  try {
    schedule(task);
  } catch (...) {
    here ? m_count.finished_here() : static_cast<void>(m_count.finished_elsewhere());
    delete &task;
    throw;
  }
}

/// Traces, which want all events, learn which group it is of, too.
TREADLE_NOINLINE static void tell_start(const task_group& group, const group_task& task) noexcept {
  tell(event_kind::task_started, task);
  if (is_told(event_kind::group_joined)) tell_dependence(event_kind::group_joined, &group, &task);
}

void task_group::execute(group_task& task) noexcept {
  if (stop_requested()) {
    tell(event_kind::task_finished, task);
  } else {
    if (is_wanted(event_kind::task_started)) tell_start(*this, task);
    const running_scope running(task, running_scope::is_told{});
    try {
      task.call();
    } catch (...) {
      if (m_failed.exchange(1, order::relaxed) == 0) m_exception = std::current_exception();
      cancel();
    }
  }
  delete &task; // what the function holds is released before anybody sees that it has finished
}

void task_group::run_own_tasks(stop_signal* stop) {
  while (stack_has_room() && !(stop && stop->is_requested())) {
    if (worker* w = this_worker()) w->makes_way();
    worker* here = this_worker(); // perhaps another one
    job* top = here ? here->tasks.pop() : nullptr;
    if (!top) return;
    if (!top->belongs_to(this)) return here->push(*top);
    here->counters.inlined.increment_unshared();
    static_cast<group_task*>(top)->run_while_waiting();
  }
}

bool task_group::wait_finished(stop_signal* stop) {
  struct owner_waits final : limited_wait<waiter> {
    explicit owner_waits(group_count& c) noexcept : count(c) {}
    bool withdraw() noexcept override { return count.withdraw_wait(); }
    group_count& count;
  };
  const told_wait told(this, awaited::group);
  run_own_tasks(stop);
  if (m_count.all_finished()) return true;
  try {
    prepare_to_block();
  } catch (...) { // no stack to suspend on: keep the thread until others have done the work
    while (!m_count.all_finished()) {
      if (stop && stop->is_requested()) return false;
      std::this_thread::yield();
      run_own_tasks(stop);
    }
    return true;
  }
  owner_waits wait(m_count);
  m_waiter = &wait.self;
  if (m_count.begin_wait() && !block_within_limits(wait, k_no_deadline, stop)) return false;
  m_count.end_wait();
  return true;
}

bool task_group::wait_or_stop(stop_signal* stop) {
  if (!wait_finished(stop)) return false;
  m_cancelled.store(0, order::relaxed);
  if (m_failed.load(order::relaxed) == 0) return true;
  m_failed.store(0, order::relaxed);
  std::rethrow_exception(std::exchange(m_exception, nullptr));
}

} // namespace treadle
