// The out-of-line parts of the synchronisation types. Each is a few words of state under a spinlock and a queue of
// blocked waiters; a waiter that is taken out of the queue has been given what it waited for.

#include "task/counters/task_events.hpp"
#include "task/wait/lock_to_wait.hpp"

#include <treadle/barrier.hpp>
#include <treadle/condition_variable.hpp>
#include <treadle/latch.hpp>
#include <treadle/mutex.hpp>
#include <treadle/semaphore.hpp>

namespace treadle {

using detail::lock_to_wait;
using detail::scoped_lock;
using detail::wait_queue;
using detail::waiter;

bool mutex::lock_or_stop(detail::stop_signal* stop) {
  // unlock() leaves m_held set for the one it wakes
  if (lock_to_wait(m_guard, [this] { return m_held; })) return m_waiters.wait(m_guard, stop);
  m_held = true;
  m_guard.unlock();
  return true;
}

bool mutex::try_lock() noexcept {
  scoped_lock guard(m_guard);
  return !std::exchange(m_held, true);
}

void mutex::unlock() noexcept {
  waiter* next = nullptr;
  {
    scoped_lock guard(m_guard);
    next = m_waiters.take_one();
    if (!next) m_held = false;
  }
  if (next) next->notify();
}

void condition_variable::notify_one() noexcept {
  m_guard.lock();
  waiter* one = m_waiters.take_one();
  m_guard.unlock();
  if (one) one->notify();
}

void condition_variable::notify_all() noexcept {
  m_guard.lock();
  waiter* all = m_waiters.take_all();
  m_guard.unlock();
  wait_queue::notify_list(all);
}

void latch::count_down(std::ptrdiff_t by) noexcept {
  waiter* all = nullptr;
  {
    scoped_lock guard(m_guard);
    m_count -= by;
    if (m_count == 0) all = m_waiters.take_all();
  }
  wait_queue::notify_list(all);
}

bool latch::try_wait() noexcept {
  scoped_lock guard(m_guard);
  return m_count == 0;
}

bool latch::wait_or_stop(detail::stop_signal* stop) {
  detail::tell_round_end();
  // without a stop_signal the latch may be gone afterwards
  if (lock_to_wait(m_guard, [this] { return m_count != 0; })) return m_waiters.wait(m_guard, stop);
  m_guard.unlock();
  return true;
}

bool latch::arrive_and_wait_or_stop(std::ptrdiff_t by, detail::stop_signal* stop) {
  detail::tell_round_end();
  const bool waits = lock_to_wait(m_guard, [&] { return m_count != by; });
  m_count -= by; // in one step with the wait: the last to arrive may return and destroy the latch
  if (waits) return m_waiters.wait(m_guard, stop);
  waiter* all = m_waiters.take_all();
  m_guard.unlock();
  wait_queue::notify_list(all);
  return true;
}

void detail::barrier_base::arrive(std::ptrdiff_t count, bool drop, std::uint64_t& phase,
                                  void (*complete)(barrier_base&)) {
  m_guard.lock();
  phase = m_phase;
  m_missing -= count;
  if (drop) --m_expected;
  if (m_missing != 0) return m_guard.unlock();
  m_guard.unlock();
  complete(*this); // everybody else of this phase waits or has yet to wait: nobody can arrive for the next one
  m_guard.lock();
  ++m_phase;
  m_missing = m_expected;
  waiter* all = m_waiters.take_all();
  m_guard.unlock();
  wait_queue::notify_list(all);
}

bool detail::barrier_base::wait_for_phase_after(std::uint64_t phase, stop_signal* stop) {
  // without a stop_signal the barrier may be gone afterwards
  if (lock_to_wait(m_guard, [&] { return m_phase == phase; })) return m_waiters.wait(m_guard, stop);
  m_guard.unlock();
  return true;
}

bool detail::semaphore_base::try_acquire() noexcept {
  scoped_lock guard(m_guard);
  if (m_count <= 0) return false;
  --m_count;
  return true;
}

bool detail::semaphore_base::try_acquire_until_ns(std::int64_t deadline_ns, stop_signal* stop) {
  // release() keeps one back for the waiter it wakes
  if (lock_to_wait(m_guard, [this] { return m_count <= 0; })) return m_waiters.wait(m_guard, stop, deadline_ns);
  --m_count;
  m_guard.unlock();
  return true;
}

void detail::semaphore_base::release(std::ptrdiff_t count) noexcept {
  waiter* served = nullptr;
  {
    scoped_lock guard(m_guard);
    for (; count > 0; --count) {
      waiter* one = m_waiters.take_one();
      if (!one) break;
      one->next = served;
      served = one;
    }
    m_count += count;
  }
  wait_queue::notify_list(served);
}

} // namespace treadle
