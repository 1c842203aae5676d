#pragma once

#include "measure.hpp"

#include <numeric>
#include <vector>

/// One task creates a million tiny ones in a loop, then waits for all. An operation is a tiny task.
namespace spawn_flat_bench {

constexpr long k_tasks = 1'000'000;
constexpr long k_threads = 2'000; // where a task is a thread

/// `spawn(count, results)` makes `count` tasks, of which number i sets results[i] to i, and waits for them.
template <class Spawn>
void report(long count, Spawn spawn) {
  std::vector<long> results(static_cast<std::size_t>(count));
  bench::report_repeated(
      "spawn_flat", count, [&] { spawn(count, results.data()); },
      [&] { return std::accumulate(results.begin(), results.end(), 0L) == count * (count - 1) / 2; });
}

} // namespace spawn_flat_bench
