#pragma once

#include <treadle/detail/deadline.hpp>
#include <treadle/detail/wait_queue.hpp>

#include <cstddef>

namespace treadle {

namespace detail {

class semaphore_base {
 public:
  semaphore_base(const semaphore_base&) = delete;
  semaphore_base& operator=(const semaphore_base&) = delete;

  /// Takes one, or blocks until there is one. First come, first served.
  void acquire() { try_acquire_until_ns(k_no_deadline); }
  /// Until a stop is requested; false when that was first (treadle/stop.hpp).
  template <stop_token_like Token>
  bool acquire(const Token& token) {
    token_signal<Token> stop(token);
    return try_acquire_until_ns(k_no_deadline, &stop);
  }
  bool try_acquire() noexcept;
  /// `timeout` is any std::chrono::duration; false when it passed without one.
  template <class Duration>
  bool try_acquire_for(const Duration& timeout) {
    return try_acquire_until_ns(deadline_after(timeout));
  }
  template <class TimePoint>
  bool try_acquire_until(const TimePoint& deadline) {
    return try_acquire_for(deadline - TimePoint::clock::now());
  }
  /// Both until a stop is requested, too; false when that was first.
  template <class Duration, stop_token_like Token>
  bool try_acquire_for(const Duration& timeout, const Token& token) {
    token_signal<Token> stop(token);
    return try_acquire_until_ns(deadline_after(timeout), &stop);
  }
  template <class TimePoint, stop_token_like Token>
  bool try_acquire_until(const TimePoint& deadline, const Token& token) {
    return try_acquire_for(deadline - TimePoint::clock::now(), token);
  }
  void release(std::ptrdiff_t count = 1) noexcept;

 protected:
  constexpr explicit semaphore_base(std::ptrdiff_t initial) noexcept : m_count(initial) {}

 private:
  bool try_acquire_until_ns(std::int64_t deadline_ns, stop_signal* stop = nullptr);

  spinlock m_guard;
  std::ptrdiff_t m_count;
  wait_queue m_waiters;
};

} // namespace detail

/// As std::counting_semaphore, for tasks and foreign threads. It must outlive waits with a limit.
template <std::ptrdiff_t LeastMax = PTRDIFF_MAX>
class counting_semaphore : public detail::semaphore_base {
 public:
  constexpr explicit counting_semaphore(std::ptrdiff_t initial) noexcept : semaphore_base(initial) {}
  static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }
};

using binary_semaphore = counting_semaphore<1>;

} // namespace treadle
