#pragma once

#include <treadle/detail/wait_queue.hpp>

namespace treadle {

/// Mutual exclusion for tasks: blocking suspends the task and leaves the worker free. Works with std::lock_guard,
/// std::unique_lock and std::scoped_lock; usable from foreign threads, which sleep. May be held across suspensions and
/// released on another OS thread. First come, first served: unlock() hands over to the longest waiter. Not recursive.
/// 24 bytes, constant-initialised.
class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() {
    if (!try_lock()) lock_or_stop(nullptr);
  }
  /// Until a stop is requested; false, and not locked, when that was first (treadle/stop.hpp).
  template <detail::stop_token_like Token>
  bool lock(const Token& token) {
    detail::token_signal<Token> stop(token);
    return lock_or_stop(&stop);
  }
  [[nodiscard]] bool try_lock() noexcept;
  void unlock() noexcept;

 private:
  bool lock_or_stop(detail::stop_signal* stop);

  detail::spinlock m_guard;
  bool m_held = false;
  detail::wait_queue m_waiters;
};

} // namespace treadle
