#include "task/idle/timer_queue.hpp"

#include <mutex>
#include <thread>

namespace treadle::detail {

bool timer_queue::arm(timer& t, std::int64_t deadline_ns) noexcept {
  const scoped_lock guard(m_lock);
  t.due_ns = deadline_ns;
  m_timers.insert(t);
  if (!t.is_limit()) m_sleepers.store(m_sleepers.load(order::relaxed) + 1, order::relaxed);
  publish_next();
  return &*m_timers.begin() == &t;
}

void timer_queue::cancel(timer& t) noexcept {
  std::unique_lock guard(m_lock);
  if (t.node.is_linked()) remove(t);
  while (m_expiring.load(order::relaxed) == &t) { // a matter of instructions
    guard.unlock();
    std::this_thread::yield();
    guard.lock();
  }
}

void timer_queue::expire_until(std::int64_t now_ns) noexcept {
  // Another worker is at it, and must not have to wait for the lock until none of those who look at it take it.
  if (m_expiring.load(order::relaxed)) return;
  std::unique_lock guard(m_lock, std::try_to_lock);
  if (!guard || m_expiring.load(order::relaxed)) return;
  while (!m_timers.empty() && m_timers.begin()->due_ns <= now_ns) {
    timer& due = *m_timers.begin();
    m_expiring.store(&due, order::relaxed);
    remove(due);
    guard.unlock();
    due.expire();
    guard.lock();
    m_expiring.store(nullptr, order::relaxed);
  }
}

void timer_queue::remove(timer& t) noexcept {
  m_timers.erase(m_timers.iterator_to(t));
  if (!t.is_limit()) m_sleepers.store(m_sleepers.load(order::relaxed) - 1, order::relaxed);
  publish_next();
}

void timer_queue::publish_next() noexcept {
  m_next.store(m_timers.empty() ? k_never : m_timers.begin()->due_ns, order::relaxed);
}

} // namespace treadle::detail
