#pragma once

#include <treadle/detail/config.hpp>

namespace treadle::detail {

/// Of the steady clock: never.
inline constexpr std::int64_t k_no_deadline = INT64_MAX;

/// Nanoseconds in any std::chrono::duration, without <chrono>. Floating point, because the longest durations do not fit
/// into 64-bit nanoseconds.
template <class Duration>
constexpr double duration_ns(const Duration& duration) noexcept {
  return static_cast<double>(duration.count()) * static_cast<double>(Duration::period::num) * 1e9 /
         static_cast<double>(Duration::period::den);
}

/// Steady-clock deadline that lies `ns` from now, saturating.
std::int64_t deadline_in_ns(double ns) noexcept;

template <class Duration>
std::int64_t deadline_after(const Duration& duration) noexcept {
  return deadline_in_ns(duration_ns(duration));
}

} // namespace treadle::detail
