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
  void wait();
  void arrive_and_wait(std::ptrdiff_t by = 1);

 private:
  detail::spinlock m_guard;
  std::ptrdiff_t m_count;
  detail::wait_queue m_waiters;
};

} // namespace treadle
