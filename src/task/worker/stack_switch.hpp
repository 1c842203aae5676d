#pragma once

#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/counters/worker_counters.hpp"
#include "task/worker/task_fiber.hpp"

#include <treadle/detail/waiter.hpp>

#include <optional>
#include <vector>

namespace treadle::detail {

/// The stacks of one worker: it always runs on exactly one, and each runs the same scheduling loop. So a stack that
/// blocks is simply left behind and another one goes on (docs/design/fibers.md). By that worker.
class stack_switch {
 public:
  /// Makes the first one.
  stack_switch(worker& owner, scheduler& pool);
  ~stack_switch();

  task_fiber& current() const noexcept { return *m_current; }

  /// On the stack of the thread: goes on with a stack for tasks, until that calls return_to_thread().
  void run();
  void return_to_thread() noexcept;

  bool has_idle() const noexcept { return !m_idle.empty(); }
  /// Throws std::bad_alloc or std::system_error.
  void get_idle();

  /// Leaves the current stack and goes on with an idle one, there running `publish` (see waiter::block).
  void leave(waiter& who, bool (*publish)(void*), void* argument) noexcept;
  /// Leaves the current stack, which is in its scheduling loop, to those that are idle, and goes on with `blocked`.
  void resume(task_fiber& blocked);

  /// Runs on the new stack after every switch, perhaps on another worker than before.
  static void after_switch() noexcept;

 private:
  void set_current(task_fiber& next) noexcept;
  void count_use(const task_fiber& suspended) noexcept;

  worker& m_owner;
  worker_counters& m_counters;
  scheduler& m_pool;
  const atomic<std::uint64_t>* const m_hungry; // of the pool: see task_stack
  std::optional<fiber> m_thread;               // the OS thread's own stack, while the thread runs
  exception_state* m_exceptions = nullptr;     // of that thread
  task_fiber* m_current;
  std::vector<task_fiber*> m_idle;
  struct {
    bool (*publish)(void*) = nullptr;
    void* argument = nullptr;
    waiter* who = nullptr;
    task_fiber* recycle = nullptr;
  } m_pending; // what after_switch() has to do
};

void set_this_task_stack(task_stack* current) noexcept;

inline void stack_switch::set_current(task_fiber& next) noexcept {
  next.tasks.runner = &m_owner;
  next.tasks.hungry = m_hungry;
  m_current = &next;
  set_this_task_stack(&next.tasks);
}

inline void stack_switch::count_use(const task_fiber& suspended) noexcept {
  const auto used = static_cast<std::uint64_t>(static_cast<const char*>(suspended.memory().top()) -
                                               static_cast<const char*>(__builtin_frame_address(0)));
  m_counters.suspended_bytes.increment_unshared(used);
  if (used > m_counters.suspended_bytes_max.load(order::relaxed))
    m_counters.suspended_bytes_max.store(used, order::relaxed);
}

// Inlined for the same reason as fiber::switch_to().
[[gnu::always_inline]] inline void stack_switch::leave(waiter& who, bool (*publish)(void*), void* argument) noexcept {
  task_fiber& self = *m_current;
  task_fiber& next = *m_idle.back();
  m_idle.pop_back();
  m_counters.suspensions.increment_unshared();
  count_use(self);
  m_pending = {publish, argument, &who, nullptr};
  self.is_blocked = true;
  const std::int64_t left = self.tasks.samples != 0 ? ticks_now() : 0;
  set_current(next);
  self.switch_to(next, *m_exceptions);
  if (left != 0) self.tasks.suspended_ticks += ticks_now() - left;
  self.is_blocked = false;
  after_switch();
  if (self.tasks.running) tell(event_kind::task_resumed, *self.tasks.running->task);
}

} // namespace treadle::detail
