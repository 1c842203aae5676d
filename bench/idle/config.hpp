#pragma once

#include "measure.hpp"

#include <sys/resource.h>
#include <time.h>

/// The processor time that a started runtime uses in one second without work, right after it had some.
namespace idle_bench {

inline double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

constexpr int k_fib = 25;
constexpr long k_fib_result = 75'025;

/// `work()` returns fib(25), computed by tasks.
template <class Work>
void report(Work work) {
  const bool verified = work() == k_fib_result;
  const double before = processor_seconds();
  const timespec second{1, 0};
  nanosleep(&second, nullptr);
  bench::print_record("idle", processor_seconds() - before, "s", 0, verified);
}

} // namespace idle_bench
