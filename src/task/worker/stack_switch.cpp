#include "task/worker/stack_switch.hpp"

#include "task/engine/scheduler.hpp"

#include <utility>

namespace treadle::detail {

constexpr std::size_t k_idle_max = 8; // kept by each worker; more go to those of the pool

stack_switch::stack_switch(worker& owner, scheduler& pool)
    : m_owner(owner), m_counters(owner.counters), m_pool(pool), m_hungry(&pool.idle.count()) {
  m_idle.reserve(k_idle_max);
  m_current = pool.make_fiber(); // before the thread exists, so that failure throws to the user
}

stack_switch::~stack_switch() {
  for (task_fiber* f : m_idle) m_pool.delete_fiber(f);
  m_pool.delete_fiber(m_current);
}

void stack_switch::run() {
  m_thread.emplace();
  set_current(*m_current);
  m_exceptions = &thread_exceptions();
  m_thread->switch_to(*m_current, *m_exceptions);
}

void stack_switch::return_to_thread() noexcept { m_current->switch_to(*m_thread, *m_exceptions); }

void stack_switch::get_idle() {
  m_idle.push_back(m_pool.take_fiber()); // there is room in the list
}

void stack_switch::resume(task_fiber& blocked) {
  task_fiber& self = *m_current;
  m_counters.resumptions.increment_unshared();
  m_pending.recycle = &self;
  set_current(blocked);
  self.switch_to(blocked, *m_exceptions);
  after_switch(); // this fiber was taken from the idle ones again
}

TREADLE_NOINLINE void stack_switch::after_switch() noexcept {
  stack_switch& here = this_worker()->stacks;
  auto& action = here.m_pending; // member by member: a wider load would wait for the stores before it
  if (task_fiber* const left = std::exchange(action.recycle, nullptr)) {
    if (here.m_idle.size() < k_idle_max)
      here.m_idle.push_back(left);
    else
      here.m_pool.give_fiber(left);
  } else if (waiter* const who = std::exchange(action.who, nullptr)) {
    who->begin_to_wait(action.publish, action.argument);
  }
}

} // namespace treadle::detail
