#pragma once

#include <treadle/detail/wait_queue.hpp>

#include <cstddef>

namespace treadle {

/// A count that goes down to zero once; as std::latch, for tasks and foreign threads. It may be destroyed as soon as
/// one wait() or arrive_and_wait() returned, whether or not the others have.
class latch {
 public:
  constexpr explicit latch(std::ptrdiff_t expected) noexcept : m_count(expected) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// Counting below zero is undefined, as in the standard.
  void count_down(std::ptrdiff_t by = 1) noexcept;
  bool try_wait() noexcept;
  void wait() { wait_or_stop(nullptr); }
  /// Until a stop is requested; false when that was first (treadle/stop.hpp). The latch must stay meanwhile.
  template <detail::stop_token_like Token>
  bool wait(const Token& token) {
    detail::token_signal<Token> stop(token);
    return wait_or_stop(&stop);
  }
  void arrive_and_wait(std::ptrdiff_t by = 1) { arrive_and_wait_or_stop(by, nullptr); }
  /// The same until a stop is requested; false when that was first, but it has arrived.
  template <detail::stop_token_like Token>
  bool arrive_and_wait(std::ptrdiff_t by, const Token& token) {
    detail::token_signal<Token> stop(token);
    return arrive_and_wait_or_stop(by, &stop);
  }
  template <detail::stop_token_like Token>
  bool arrive_and_wait(const Token& token) {
    return arrive_and_wait(1, token);
  }

 private:
  bool wait_or_stop(detail::stop_signal* stop);
  bool arrive_and_wait_or_stop(std::ptrdiff_t by, detail::stop_signal* stop);

  detail::spinlock m_guard;
  std::ptrdiff_t m_count;
  detail::wait_queue m_waiters;
};

} // namespace treadle
