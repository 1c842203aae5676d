#pragma once

#include "measure.hpp"

/// A runtime starts, runs one task and ends, again and again. An operation is one such cycle.
namespace start_stop_bench {

constexpr long k_cycles = 500;

/// `cycle()` starts, calls something that returns 1 as a task, stops, and returns what the task returned.
template <class Cycle>
void report(Cycle cycle) {
  bench::report("start_stop", k_cycles, [&] {
    long sum = 0;
    for (long i = 0; i < k_cycles; ++i) sum += cycle();
    return sum == k_cycles;
  });
}

} // namespace start_stop_bench
