#pragma once

#include "base/clock.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <boost/intrusive/set.hpp>

#include <cstddef>

namespace treadle::detail {

/// Something to do at a time.
class timer {
 public:
  /// Called once, by a worker that found it due. Short; must not block on anything but a spinlock.
  virtual void expire() noexcept = 0;

  /// True for the limit of a wait: who waits is blocked, who sleeps will go on.
  virtual bool is_limit() const noexcept { return false; }

  bool operator<(const timer& other) const noexcept { return due_ns < other.due_ns; }

  boost::intrusive::set_member_hook<> node; // used by the queue, as the deadline
  std::int64_t due_ns = 0;

 protected:
  ~timer() = default;
};

/// Deadlines of sleeping tasks and timed waits. Workers look at the next deadline between jobs (one relaxed load) and
/// sleep no longer than to it. Any thread. Nothing is allocated: the timers themselves are the nodes of the tree.
///
/// Timers expire outside the lock, one at a time, so that arm() may be called with locks held that expire() takes.
class timer_queue {
 public:
  static constexpr std::int64_t k_never = k_never_ns;

  /// True when `t` is now the next one to expire, so that somebody may have to sleep shorter.
  bool arm(timer& t, std::int64_t deadline_ns) noexcept;

  /// Afterwards `t` is not in the queue and its expire() is not running.
  void cancel(timer& t) noexcept;

  std::int64_t next_deadline_ns() const noexcept { return m_next.load(order::relaxed); }

  /// Expires those that are due. Costs a load where there are none, and a clock where none is due. Returns at once when
  /// another thread has the lock: it arms or cancels one, or is at it already.
  void run_due() noexcept {
    if (TREADLE_LIKELY(next_deadline_ns() == k_never)) return;
    const std::int64_t now_ns = steady_now_ns();
    if (now_ns >= next_deadline_ns()) expire_until(now_ns);
  }

  /// Whether there is one that is no limit.
  bool somebody_sleeps() const noexcept { return m_sleepers.load(order::relaxed) != 0; }

 private:
  void expire_until(std::int64_t now_ns) noexcept;
  void remove(timer& t) noexcept;
  void publish_next() noexcept;

  spinlock m_lock;
  boost::intrusive::multiset<timer,
                             boost::intrusive::member_hook<timer, boost::intrusive::set_member_hook<>, &timer::node>,
                             boost::intrusive::constant_time_size<false>>
      m_timers;
  alignas(k_cache_line) atomic<std::int64_t> m_next{k_never}; // all workers read it all the time
  atomic<timer*> m_expiring{nullptr};                         // changed under the lock, as is the next
  atomic<std::size_t> m_sleepers{0};                          // timers that are no limits
};

} // namespace treadle::detail
