#pragma once

#include "base/clock.hpp"

#include <treadle/detail/atomic.hpp>

#include <map>
#include <mutex>
#include <thread>

namespace treadle::detail {

/// Something to do at a time.
class timer {
 public:
  /// Called once, by a worker that found it due. Short; must not block on anything but a spinlock.
  virtual void expire() noexcept = 0;

 protected:
  ~timer() = default;
};

/// Deadlines of sleeping tasks and timed waits. Workers look at the next deadline between jobs (one relaxed load) and
/// sleep no longer than to it. Any thread.
///
/// Timers expire outside the lock, one at a time, so that arm() may be called with locks held that expire() takes.
class timer_queue {
 public:
  static constexpr std::int64_t k_never = k_never_ns;

  /// True when `t` is now the next one to expire, so that somebody may have to sleep shorter.
  bool arm(timer& t, std::int64_t deadline_ns) {
    std::lock_guard guard(m_mutex);
    m_timers.emplace(deadline_ns, &t);
    publish_next();
    return m_timers.begin()->second == &t;
  }

  /// Afterwards `t` is not in the queue and its expire() is not running.
  void cancel(timer& t, std::int64_t deadline_ns) {
    std::unique_lock guard(m_mutex);
    auto [first, last] = m_timers.equal_range(deadline_ns);
    for (; first != last; ++first) {
      if (first->second == &t) {
        m_timers.erase(first);
        publish_next();
        return;
      }
    }
    while (m_expiring == &t) { // a matter of instructions
      guard.unlock();
      std::this_thread::yield();
      guard.lock();
    }
  }

  std::int64_t next_deadline_ns() const noexcept { return m_next.load(order::relaxed); }

  void run_due(std::int64_t now_ns) {
    std::unique_lock guard(m_mutex);
    if (m_expiring) return; // another worker is at it
    while (!m_timers.empty() && m_timers.begin()->first <= now_ns) {
      m_expiring = m_timers.begin()->second;
      m_timers.erase(m_timers.begin());
      publish_next();
      guard.unlock();
      m_expiring->expire();
      guard.lock();
      m_expiring = nullptr;
    }
  }

 private:
  void publish_next() noexcept { m_next.store(m_timers.empty() ? k_never : m_timers.begin()->first, order::relaxed); }

  std::mutex m_mutex;
  std::multimap<std::int64_t, timer*> m_timers;
  timer* m_expiring = nullptr;
  atomic<std::int64_t> m_next{k_never};
};

} // namespace treadle::detail
