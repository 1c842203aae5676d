#pragma once

#include "measure.hpp"

/// One task creates many futures, waits for all of them at once and adds up their values. An operation is a future.
namespace wait_all_bench {

constexpr long k_futures = 500'000;
constexpr long k_threads = 2'000; // where a task is a thread

/// `sum(count)` returns the sum of `count` futures with the values 0, 1, 2, ...
template <class Sum>
void report(long count, Sum sum) {
  bench::report_repeated("wait_all", count, [&] { return sum(count) == count * (count - 1) / 2; });
}

} // namespace wait_all_bench
