#pragma once

#include "measure.hpp"

#include <treadle/async.hpp>
#include <treadle/parallel_invoke.hpp>
#include <treadle/runtime.hpp>
#include <treadle/task_group.hpp>

/// What observation costs: the same library without counters (treadle_bare), with them (treadle), and with somebody who
/// reads, listens or traces. An operation is a task of about 1 us, or a call of fib that forks, by a latent fork or by
/// a future.
namespace counters_bench {

constexpr long k_tasks = 20'000;
constexpr int k_steps = 700; // of a chain of dependent multiplications and additions: about 1 us
constexpr int k_fork_fib = 30;
constexpr int k_async_fib = 22;

inline std::uint64_t one_microsecond(std::uint64_t x) {
  for (int i = 0; i < k_steps; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

inline std::uint64_t forked(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0, b = 0;
  treadle::parallel_invoke([&] { a = forked(n - 1); }, [&] { b = forked(n - 2); });
  return a + b;
}

inline std::uint64_t with_futures(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  auto a = treadle::async([n] { return with_futures(n - 1); });
  const std::uint64_t b = with_futures(n - 2);
  return a.get() + b;
}

/// Calls of fib(n) that fork.
constexpr long forks_of(int n) { return n < 2 ? 0 : 1 + forks_of(n - 1) + forks_of(n - 2); }
constexpr long k_async_forks = 28'656, k_fork_forks = 1'346'268;
static_assert(forks_of(k_async_fib) == k_async_forks);

inline void measure() {
  treadle::async([] {
    std::uint64_t sum = 0;
    bench::report_repeated("counters_tasks_1us", k_tasks, [&] {
      std::uint64_t results[64] = {};
      treadle::task_group tasks;
      for (long i = 0; i < k_tasks; ++i)
        tasks.run([&results, i] { results[i % 64] = one_microsecond(static_cast<std::uint64_t>(i)); });
      tasks.wait();
      sum += results[0] != 0;
      return true;
    });
    bench::report_repeated("counters_forks", k_fork_forks, [] { return forked(k_fork_fib) == 832'040; });
    bench::report_repeated("counters_futures", k_async_forks, [] { return with_futures(k_async_fib) == 17'711; });
  }).get();
}

} // namespace counters_bench
