#include "chaos/chaos.hpp"

#include "base/rng.hpp"

#include <treadle/detail/atomic.hpp>

#include <cerrno>
#include <cstdlib>

#include <sched.h>
#include <time.h>

namespace treadle::detail {

namespace {

constexpr std::uint64_t k_no_chaos = 0;

std::uint64_t seed_from_environment() noexcept {
  const char* text = std::getenv("TREADLE_CHAOS_SEED");
  return text ? std::strtoull(text, nullptr, 10) : k_no_chaos;
}

// Not the runtime's atomics: those come here.
std::uint64_t g_seed = seed_from_environment();
std::uint32_t g_generation = 1;
std::uint32_t g_threads = 0;

struct thread_chaos {
  std::uint32_t generation = 0;
  std::uint32_t quiet = 0; // operations until the next disturbance
  xorshift random{1};
};
constinit thread_local thread_chaos t_chaos;

void disturb(xorshift& random) noexcept {
  const std::uint32_t kind = random.below(32);
  if (kind == 0) {
    const timespec pause{0, static_cast<long>(random.below(100'000))};
    nanosleep(&pause, nullptr);
  } else if (kind < 8) {
    sched_yield();
  } else {
    for (std::uint32_t i = random.below(1000); i > 0; --i) asm volatile("" ::: "memory");
  }
}

} // namespace

void seed_chaos(std::uint64_t seed) noexcept {
  if (__atomic_load_n(&g_seed, __ATOMIC_RELAXED) == k_no_chaos || seed == k_no_chaos) return;
  __atomic_store_n(&g_seed, seed, __ATOMIC_RELAXED);
  __atomic_store_n(&g_threads, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&g_generation, 1, __ATOMIC_RELEASE);
}

// Not inlined: the caller's fiber may run on another thread than a moment ago. Also called by signal handlers, which
// may find a half-drawn number: any number will do.
TREADLE_NOINLINE void chaos_point() noexcept {
  if (__atomic_load_n(&g_seed, __ATOMIC_RELAXED) == k_no_chaos) return;
  thread_chaos& here = t_chaos;
  if (const std::uint32_t now = __atomic_load_n(&g_generation, __ATOMIC_ACQUIRE); here.generation != now) {
    here.generation = now;
    here.random = xorshift(__atomic_load_n(&g_seed, __ATOMIC_RELAXED) * 1000 +
                           __atomic_fetch_add(&g_threads, 1, __ATOMIC_RELAXED));
    here.quiet = here.random.below(32);
  }
  if (here.quiet-- != 0) return;
  here.quiet = here.random.below(32);
  const int error = errno;
  disturb(here.random);
  errno = error;
}

} // namespace treadle::detail
