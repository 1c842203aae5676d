#pragma once

#include <cstddef>
#include <cstdint>

#define TREADLE_NOINLINE __attribute__((noinline))
#define TREADLE_LIKELY(x) __builtin_expect(!!(x), 1)
#define TREADLE_UNLIKELY(x) __builtin_expect(!!(x), 0)

#if defined(__SANITIZE_ADDRESS__)
#define TREADLE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TREADLE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TREADLE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TREADLE_TSAN 1
#endif
#endif

#if defined(TREADLE_MODEL)
// Everything in treadle::detail gets another name, so that a program never mixes both builds. This declaration comes
// first in every file (the model build includes this header by a compiler option); later ones extend it.
namespace treadle {
inline namespace model {
namespace detail {}
} // namespace model
} // namespace treadle
#endif

namespace treadle::detail {

/// Two lines, because current x86 cores prefetch lines in adjacent pairs. A constant of our own: the value of
/// std::hardware_destructive_interference_size may change with compiler flags and with it the layout.
inline constexpr std::size_t k_cache_line = 128;

#if defined(TREADLE_NO_COUNTERS)
inline constexpr bool k_counts = false; // only to measure what counting costs: bench/counters
#else
inline constexpr bool k_counts = true;
#endif

#if defined(TREADLE_ASAN) || defined(TREADLE_TSAN)
inline constexpr bool k_sanitized = true; // instrumented frames are several times larger
#else
inline constexpr bool k_sanitized = false;
#endif

} // namespace treadle::detail
