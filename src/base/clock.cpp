#include "base/clock.hpp"

#include <algorithm>
#include <limits>
#include <time.h>

namespace treadle::detail {
namespace {

#if defined(__x86_64__)
struct time_pair {
  std::int64_t ticks;
  std::int64_t ns;
};

/// Both at the same moment: the reading of several that the thread was interrupted in least.
time_pair read_both() noexcept {
  constexpr int k_attempts = 10;
  constexpr std::int64_t k_ticks_uninterrupted = 1000;
  time_pair best{};
  std::int64_t best_width = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < k_attempts && best_width > k_ticks_uninterrupted; ++i) {
    const std::int64_t before = ticks_now();
    const std::int64_t ns = steady_now_ns();
    const std::int64_t width = ticks_now() - before;
    if (width < best_width) {
      best_width = width;
      best = {before + width / 2, ns};
    }
  }
  return best;
}

const time_pair g_start = read_both(); // as early as possible: the longer the base line, the better the rate

double measure_ns_per_tick() noexcept {
  time_pair now = read_both();
  while (now.ns - g_start.ns < 1'000'000) now = read_both();
  return static_cast<double>(now.ns - g_start.ns) / static_cast<double>(now.ticks - g_start.ticks);
}

double ns_per_tick() noexcept {
  static const double rate = measure_ns_per_tick();
  return rate;
}
#else
double ns_per_tick() noexcept { return 1.0; }
#endif

} // namespace

static std::int64_t now_ns(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}
std::int64_t steady_now_ns() noexcept { return now_ns(CLOCK_MONOTONIC); }
std::int64_t thread_cpu_ns() noexcept { return now_ns(CLOCK_THREAD_CPUTIME_ID); }
std::int64_t process_cpu_ns() noexcept { return now_ns(CLOCK_PROCESS_CPUTIME_ID); }

std::int64_t stamp_ticks() noexcept {
  static const std::int64_t ticks = [] {
    std::int64_t least = INT64_MAX;
    for (int i = 0; i < 20; ++i) {
      const std::int64_t before = ticks_now();
      least = std::min(least, ticks_now() - before);
    }
    return least;
  }();
  return ticks;
}

std::int64_t ticks_to_ns(std::int64_t ticks) noexcept {
  return static_cast<std::int64_t>(static_cast<double>(ticks) * ns_per_tick());
}

std::int64_t ns_to_ticks(std::int64_t ns) noexcept {
  return static_cast<std::int64_t>(static_cast<double>(ns) / ns_per_tick());
}

} // namespace treadle::detail
