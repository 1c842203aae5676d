#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace treadle::detail {

/// Deadline that never comes.
inline constexpr std::int64_t k_never_ns = INT64_MAX;

/// Nanoseconds of CLOCK_MONOTONIC. About 20 ns where the kernel maps it into the process.
std::int64_t steady_now_ns() noexcept;
/// Processor time of the calling thread, and of the process, in nanoseconds. System calls.
std::int64_t thread_cpu_ns() noexcept;
std::int64_t process_cpu_ns() noexcept;

/// Cheapest monotonic time stamp, in ticks of a constant-rate counter common to all cores; not serialising, so it may
/// drift by a few tens of instructions. Convert differences with ticks_to_ns().
inline std::int64_t ticks_now() noexcept {
#if defined(__x86_64__) && !defined(TREADLE_MODEL) // there the clock is played, and so are its ticks
  return static_cast<std::int64_t>(__rdtsc());
#else
  return steady_now_ns();
#endif
}

/// What a time stamp takes itself.
std::int64_t stamp_ticks() noexcept;

/// Nanoseconds in a difference of two ticks_now() values. The first call calibrates (at most a millisecond).
std::int64_t ticks_to_ns(std::int64_t ticks) noexcept;

/// Inverse of ticks_to_ns().
std::int64_t ns_to_ticks(std::int64_t ns) noexcept;

} // namespace treadle::detail
