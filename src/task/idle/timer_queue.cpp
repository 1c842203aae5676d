#include "task/idle/timer_queue.hpp"

#include <algorithm>
#include <thread>

namespace treadle::detail {

bool timer_queue::arm(timer& t, std::int64_t deadline_ns) noexcept {
  const std::lock_guard guard(m_mutex);
  t.due_ns = deadline_ns;
  m_timers.insert(t);
  publish_next();
  return &*m_timers.begin() == &t;
}

void timer_queue::cancel(timer& t) noexcept {
  std::unique_lock guard(m_mutex);
  if (t.node.is_linked()) {
    m_timers.erase(m_timers.iterator_to(t));
    publish_next();
  }
  while (m_expiring == &t) { // a matter of instructions
    guard.unlock();
    std::this_thread::yield();
    guard.lock();
  }
}

void timer_queue::run_due(std::int64_t now_ns) noexcept {
  std::unique_lock guard(m_mutex);
  if (m_expiring) return; // another worker is at it
  while (!m_timers.empty() && m_timers.begin()->due_ns <= now_ns) {
    m_expiring = &*m_timers.begin();
    m_timers.erase(m_timers.begin());
    publish_next();
    guard.unlock();
    m_expiring->expire();
    guard.lock();
    m_expiring = nullptr;
  }
}

bool timer_queue::somebody_sleeps() const noexcept {
  const std::lock_guard guard(m_mutex);
  return std::any_of(m_timers.begin(), m_timers.end(), [](const timer& t) { return !t.is_limit(); });
}

void timer_queue::publish_next() noexcept {
  m_next.store(m_timers.empty() ? k_never : m_timers.begin()->due_ns, order::relaxed);
}

} // namespace treadle::detail
