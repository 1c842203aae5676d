#include <treadle/detail/waiter.hpp>

#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "task/scheduler.hpp"

namespace treadle::detail {

void waiter::block(bool (*publish)(void*), void* argument) {
  if (worker* w = this_worker()) {
    m_scheduler = &w->owner();
    m_fiber = &w->current_fiber();
    w->suspend(*this, publish, argument);
    return;
  }
  if (!publish(argument)) return;
  await_notification();
}

bool waiter::block_thread_until(bool (*publish)(void*), void* argument, std::int64_t deadline_ns) {
  if (!publish(argument)) return true;
  while (m_notified.load(order::acquire) == 0) {
    const std::int64_t left = deadline_ns - steady_now_ns();
    if (left <= 0) return false;
    futex_wait(m_notified, 0, left);
  }
  return true;
}

void waiter::await_notification() noexcept {
  while (m_notified.load(order::acquire) == 0) futex_wait(m_notified, 0); // pairs with the store in notify()
}

void waiter::notify() noexcept {
  if (!m_scheduler) {
    m_notified.store(1, order::release);
    futex_wake(m_notified); // the waiter may be gone by now; only its address is used
    return;
  }
  worker* w = this_worker();
  if (w && &w->owner() == m_scheduler)
    w->push(*this);
  else
    m_scheduler->inject(*this);
}

void waiter::run() noexcept { this_worker()->resume(*m_fiber); }

} // namespace treadle::detail
