#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

inline constexpr std::int64_t k_forever_ns = -1;

/// Blocks the OS thread while `word` holds `expected`, at most `timeout_ns` (k_forever_ns: no limit). May return early
/// without cause: callers re-check their condition. The only place, with futex_wake, that enters the kernel to wait.
void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns = k_forever_ns) noexcept;

/// Wakes up to `count` threads that wait on `word`. The word may already be gone: only its address is used.
void futex_wake(atomic<std::uint32_t>& word, int count = 1) noexcept;

/// The same for a word in memory that processes share.
void shared_futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t timeout_ns = k_forever_ns) noexcept;
void shared_futex_wake(atomic<std::uint32_t>& word, int count = 1) noexcept;

} // namespace treadle::detail
