#include <treadle/detail/waiter.hpp>

#include "base/clock.hpp"
#include "task/engine/background.hpp"
#include "task/engine/forked_task.hpp"
#include "task/engine/scheduler.hpp"
#include "task/wait/thread_wait.hpp"
#include "task/worker/worker_hook.hpp"

namespace treadle::detail {

namespace {

/// For a thread outside of the runtime.
void refuse_where_nobody_may_block() {
  refuse_in_forked_task();
  refuse_in_worker_hook();
  refuse_in_callback();
}

} // namespace

waiter::waiter() noexcept : waiter(this_worker()) {}

waiter::waiter(worker* w) noexcept
    : m_scheduler(w ? &w->owner() : nullptr), m_fiber(w ? &w->stacks.current() : nullptr) {}

void waiter::block(bool (*publish)(void*), void* argument) {
  if (m_fiber) return this_worker()->suspend(*this, publish, argument);
  refuse_where_nobody_may_block();
  if (publish(argument)) await_notification();
}

void waiter::block() noexcept {
  if (!m_fiber) return await_notification();
  if (m_notification.has_arrived()) return;
  this_worker()->suspend(*this, nullptr, nullptr);
}

void waiter::block_releasing(spinlock& lock) noexcept {
  if (m_fiber) return this_worker()->suspend_releasing(*this, lock);
  lock.unlock();
  block();
}

bool waiter::block_thread_until(std::int64_t deadline_ns) noexcept {
  background_polling::look_until([&] { return m_notification.has_arrived() || steady_now_ns() >= deadline_ns; });
  return await(m_notification, deadline_ns);
}

void waiter::await_notification() noexcept {
  background_polling::look_until([this] { return m_notification.has_arrived(); });
  await(m_notification);
}

void waiter::begin_to_wait(bool (*publish)(void*), void* argument) noexcept {
  m_notification.begin_to_wait(publish, argument, [this] { make_runnable(); });
}

void waiter::notify() noexcept {
  if (!m_scheduler) return notify_thread(m_notification);
  if (m_notification.notify()) make_runnable(); // unless it is out it may be gone now
}

void waiter::queue_behind() noexcept {
  if (m_scheduler->places_jobs())
    m_scheduler->place_again(*this, *m_fiber->tasks.runner, true);
  else
    m_scheduler->inject(*this);
}

void waiter::make_runnable() noexcept {
  worker* const w = this_worker();
  if (!w || &w->owner() != m_scheduler) return m_scheduler->inject_resumed(*this, *m_fiber->tasks.runner);
  if (TREADLE_UNLIKELY(m_scheduler->places_jobs()))
    return m_scheduler->place_again(*this, *m_fiber->tasks.runner, false);
  w->push(*this);
}

std::uint32_t waiter::path_number() const noexcept {
  const running_task* const blocked = m_fiber ? m_fiber->tasks.running : nullptr;
  return blocked ? blocked->task->path_number() : 0;
}

void waiter::run() noexcept { this_worker()->stacks.resume(*m_fiber); }

void prepare_to_block() {
  if (worker* w = this_worker()) return w->prepare_to_suspend();
  refuse_where_nobody_may_block();
}

bool ready_to_block(spinlock& lock) {
  worker* const w = this_worker();
  if (w ? w->can_suspend() : !forked_in_task.load(order::relaxed) && !callback_scope::is_inside()) return true;
  lock.unlock();
  prepare_to_block();
  lock.lock();
  return false;
}

} // namespace treadle::detail
