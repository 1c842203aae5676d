#pragma once

#include "base/clock.hpp"
#include "base/sync/park.hpp"

#include <treadle/detail/notification.hpp>

namespace treadle::detail {

/// A thread outside of the runtime waits for its notification: sleeps until it has arrived, or until `deadline_ns` of
/// the steady clock (or k_never_ns); false then.
inline bool await(notification& word, std::int64_t deadline_ns = k_never_ns) noexcept {
  while (!word.has_arrived()) {
    std::int64_t left_ns = k_forever_ns;
    if (deadline_ns != k_never_ns && (left_ns = deadline_ns - steady_now_ns()) <= 0) return false;
    futex_wait(word.word(), notification::k_running, left_ns);
  }
  return true;
}

/// Once. Both may be gone before it returns.
inline void notify_thread(notification& word) noexcept {
  word.notify();
  futex_wake(word.word()); // only its address is used
}

} // namespace treadle::detail
