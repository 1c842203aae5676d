#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace treadle::testing {

/// Calls run(seed) for a few seeds, or as the environment says:
///   TREADLE_STRESS_SEED=<seed>       that one only: the replay of a failure
///   TREADLE_STRESS_SECONDS=<n>       for so long
///   TREADLE_STRESS_FIRST=<seed>      from this one on
/// A program that takes a minute hangs: it is ended, and its seed named.
template <class Run>
void run_seeds(std::uint64_t few, Run run) {
  const auto variable = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  static std::uint64_t present = 0;
  const auto run_one = [&](std::uint64_t seed) {
    present = seed;
    std::signal(SIGALRM, [](int) {
      char text[100];
      const int bytes = std::snprintf(text, sizeof text, "hangs; replay with TREADLE_STRESS_SEED=%llu\n",
                                      static_cast<unsigned long long>(present));
      [[maybe_unused]] const auto ignored = write(2, text, static_cast<std::size_t>(bytes));
      std::abort();
    });
    alarm(60);
    run(seed);
    alarm(0);
    if (::testing::Test::HasFailure())
      std::fprintf(stderr, "replay with TREADLE_STRESS_SEED=%llu\n", static_cast<unsigned long long>(seed));
  };
  if (std::getenv("TREADLE_STRESS_SEED")) return run_one(variable("TREADLE_STRESS_SEED", 0));
  const std::uint64_t first = variable("TREADLE_STRESS_FIRST", 1), seconds = variable("TREADLE_STRESS_SECONDS", 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t seed = first;
  while (!::testing::Test::HasFailure() &&
         (seconds != 0 ? std::chrono::steady_clock::now() < end : seed < first + few)) {
    run_one(seed++);
  }
  if (seconds != 0)
    std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(seed - 1));
}

} // namespace treadle::testing
