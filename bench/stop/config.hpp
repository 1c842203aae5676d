#pragma once

#include "measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

/// How long a loop of 10^8 iterations of about 50 ns, which takes seconds, still runs after another thread has asked it
/// to stop. The value is the median of several loops, each stopped at another time.
namespace stop_bench {

constexpr long k_iterations = 100'000'000;
constexpr int k_loops = 31;

/// Work that the compiler leaves where it is.
inline void iterate(long i) {
  auto x = static_cast<double>(i);
  for (int k = 0; k < 16; ++k) asm volatile("" : "+x"(x = x * 0.5 + 1));
}

/// Seconds from `ask`, which another thread calls that long after the beginning, until `run`, the loop, has ended;
/// negative where it ended by itself before.
template <class Run, class Ask>
double one(std::chrono::microseconds after, Run run, Ask ask) {
  using clock = std::chrono::steady_clock;
  clock::time_point asked;
  std::thread other([&] {
    std::this_thread::sleep_for(after);
    asked = clock::now();
    ask();
  });
  run();
  const auto ended = clock::now();
  other.join();
  return std::chrono::duration<double>(ended - asked).count();
}

/// `loop(after)` runs a loop that is stopped after that time, and returns what `one` did.
template <class Loop>
void report(Loop loop) {
  std::array<double, k_loops> seconds{};
  bool verified = true;
  static_cast<void>(loop(std::chrono::milliseconds(5))); // untimed
  for (int i = 0; i < k_loops; ++i)
    seconds[static_cast<std::size_t>(i)] = loop(std::chrono::microseconds(5000 + 137 * i));
  for (const double s : seconds) verified &= s >= 0; // it did not end before
  std::nth_element(seconds.begin(), seconds.begin() + k_loops / 2, seconds.end());
  bench::print_record("stop", seconds[k_loops / 2], "s", 0, verified);
}

} // namespace stop_bench
