#include <treadle/task_group.hpp>

#include "task/running_scope.hpp"
#include "task/scheduler.hpp"

#include <system_error>
#include <thread>

namespace treadle {

using namespace detail;

void group_task::run() noexcept {
  task_group& group = m_group;
  const bool here = group.m_owner && group.m_owner == this_fork_list();
  group.execute(*this);
  if (here)
    group.m_count.finished_here();
  else if (group.m_count.finished_elsewhere())
    group.m_waiter->notify();
  this_worker()->counters.count_finished(); // the group may be gone by now
}

task_group::task_group() noexcept { own(); }

task_group::~task_group() {
  if (m_count.all_finished()) return;
  cancel();
  wait_finished();
}

void task_group::own() noexcept { m_owner = this_fork_list(); }

void task_group::start(group_task& task) {
  const bool here = m_owner && m_owner == this_fork_list();
  here ? m_count.started_here() : m_count.started_elsewhere();
  try {
    schedule(task);
  } catch (...) {
    here ? m_count.finished_here() : static_cast<void>(m_count.finished_elsewhere());
    delete &task;
    throw;
  }
}

void task_group::execute(group_task& task) noexcept {
  if (!stop_requested()) {
    const running_scope running(task);
    try {
      task.call();
    } catch (...) {
      if (m_failed.exchange(1, order::relaxed) == 0) m_exception = std::current_exception();
      cancel();
    }
  }
  delete &task; // what the function holds is released before anybody sees that it has finished
}

void task_group::run_own_tasks() {
  while (stack_has_room()) {
    worker* here = this_worker();
    job* top = here ? here->tasks.pop() : nullptr;
    if (!top) return;
    if (!top->belongs_to(this)) return here->push(*top);
    here->counters.inlined.increment_unshared();
    top->run();
  }
}

void task_group::wait_finished() {
  run_own_tasks();
  if (m_count.all_finished()) return;
  waiter self;
  m_waiter = &self;
  try {
    self.block([](void* group) { return static_cast<task_group*>(group)->m_count.begin_wait(); }, this);
    m_count.end_wait();
  } catch (const std::system_error&) { // no stack to suspend on: keep the thread until others have done the work
    while (!m_count.all_finished()) {
      std::this_thread::yield();
      run_own_tasks();
    }
  }
}

void task_group::wait() {
  wait_finished();
  m_cancelled.store(0, order::relaxed);
  if (m_failed.load(order::relaxed) == 0) return;
  m_failed.store(0, order::relaxed);
  std::rethrow_exception(std::exchange(m_exception, nullptr));
}

} // namespace treadle
