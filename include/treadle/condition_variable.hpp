#pragma once

#include <treadle/detail/deadline.hpp>
#include <treadle/detail/wait_queue.hpp>

namespace treadle {

enum class cv_status { no_timeout, timeout };

/// As std::condition_variable_any, for tasks and foreign threads: works with any lock that has lock() and unlock(),
/// such as std::unique_lock<treadle::mutex>. There are no spurious wake-ups, but another task may have changed the
/// condition before the woken one has the lock again: wait in a loop or with a predicate. It may be destroyed when all
/// waits without a limit were notified; those with a limit must have returned.
class condition_variable {
 public:
  constexpr condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void notify_one() noexcept;
  void notify_all() noexcept;

  template <class Lock>
  void wait(Lock& lock) {
    release(lock);
    m_waiters.wait(m_guard);
    lock.lock();
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate condition) {
    while (!condition()) wait(lock);
  }

  /// Until a stop is requested (treadle/stop.hpp), as std::condition_variable_any: what the condition is at the end.
  template <class Lock, detail::stop_token_like Token, class Predicate>
  bool wait(Lock& lock, const Token& token, Predicate condition) {
    return wait_or_stop(lock, token, detail::k_no_deadline, condition);
  }
  template <class Lock, detail::stop_token_like Token, class Duration, class Predicate>
  bool wait_for(Lock& lock, const Token& token, const Duration& timeout, Predicate condition) {
    return wait_or_stop(lock, token, detail::deadline_after(timeout), condition);
  }
  template <class Lock, detail::stop_token_like Token, class TimePoint, class Predicate>
  bool wait_until(Lock& lock, const Token& token, const TimePoint& deadline, Predicate condition) {
    return wait_for(lock, token, deadline - TimePoint::clock::now(), condition);
  }

  /// `timeout` is any std::chrono::duration.
  template <class Lock, class Duration>
  cv_status wait_for(Lock& lock, const Duration& timeout) {
    return wait_until_ns(lock, detail::deadline_after(timeout));
  }
  template <class Lock, class Duration, class Predicate>
  bool wait_for(Lock& lock, const Duration& timeout, Predicate condition) {
    const std::int64_t deadline = detail::deadline_after(timeout);
    while (!condition()) {
      if (wait_until_ns(lock, deadline) == cv_status::timeout) return condition();
    }
    return true;
  }
  template <class Lock, class TimePoint, class... Predicate>
  auto wait_until(Lock& lock, const TimePoint& deadline, Predicate... condition) {
    return wait_for(lock, deadline - TimePoint::clock::now(), condition...);
  }

 private:
  /// Leaves m_guard locked, which is taken before the user's lock is released: a notification in between is not lost.
  /// What blocking needs is had before, so that the one that has released the lock can wait; and who is resumed from a
  /// wait finds what it needs to wait for the lock: the stack that resumed it.
  template <class Lock>
  void release(Lock& lock) {
    detail::prepare_to_block();
    m_guard.lock();
    try {
      lock.unlock();
    } catch (...) { // the caller did not hold it
      m_guard.unlock();
      throw;
    }
  }
  template <class Lock, class Token, class Predicate>
  bool wait_or_stop(Lock& lock, const Token& token, std::int64_t deadline_ns, Predicate& condition) {
    detail::token_signal<Token> stop(token);
    while (!condition()) {
      if (token.stop_requested()) return false;
      if (wait_until_ns(lock, deadline_ns, &stop) == cv_status::timeout) return condition();
    }
    return true;
  }
  template <class Lock>
  cv_status wait_until_ns(Lock& lock, std::int64_t deadline_ns, detail::stop_signal* stop = nullptr) {
    release(lock);
    const bool notified = m_waiters.wait(m_guard, stop, deadline_ns);
    lock.lock();
    return notified ? cv_status::no_timeout : cv_status::timeout;
  }

  detail::spinlock m_guard;
  detail::wait_queue m_waiters;
};

} // namespace treadle
