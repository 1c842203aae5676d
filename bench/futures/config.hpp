#pragma once

#include "measure.hpp"

/// The cost of one future, in five workloads. A rival takes part in those that it can express.
///   async_get       one task created and waited for, by one task, nothing else going on
///   fib             fib(25) by one task per call and a wait: 242 785 tasks, the usual shape of divide and conquer
///   fork_fib        fib(30) by fork-join without futures
///   dataflow_ready  a node whose input is ready, run directly
///   block_resume    two tasks that wake each other: every operation is one block and one resume
namespace futures_bench {

constexpr long k_async_get = 500'000;
constexpr long k_std_async_get = 5'000; // a thread each
constexpr int k_fib = 25;
constexpr long k_fib_result = 75'025;
constexpr long k_fib_tasks = 242'785;
constexpr int k_fork_fib = 30;
constexpr long k_fork_fib_result = 832'040;
constexpr long k_fork_fib_calls = 2'692'537;
constexpr long k_dataflow = 500'000;
constexpr long k_round_trips = 100'000;

constexpr bool is_sum_below(long sum, long n) { return sum == n * (n - 1) / 2; }

} // namespace futures_bench
