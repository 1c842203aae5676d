#pragma once

#include "measure.hpp"

#include <treadle/treadle.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// What scheduling policies and pools cost: the same programs of tasks that do next to nothing, and rivals that differ
/// in the pools they have. `treadle` has none.
///   pools/ring   a ring of 64 nodes, each of its three closest of the round before, most of them made with inputs
///                missing; critical_path learns and orders them
///   pools/spawn  futures that are made in a loop and then waited for
namespace pools_bench {

constexpr std::size_t k_width = 64, k_rounds = 500;
constexpr long k_tasks = 20'000;

using part = treadle::shared_future<long>;

/// `executor_of(i)`: of the i-th node of a round, or task.
template <class ExecutorOf>
bool ring(const ExecutorOf& executor_of) {
  std::vector<part> now(k_width, treadle::make_ready_future(1L).share()), next(k_width);
  const auto sum = [](const part& a, const part& b, const part& c) { return (a.get() + b.get() + c.get()) % 1000; };
  for (std::size_t round = 0; round < k_rounds; ++round) {
    for (std::size_t i = 0; i < k_width; ++i)
      next[i] = treadle::dataflow(executor_of(i), sum, now[(i + k_width - 1) % k_width], now[i], now[(i + 1) % k_width])
                    .share();
    now.swap(next);
  }
  long expected = 1;
  for (std::size_t round = 0; round < k_rounds; ++round) expected = 3 * expected % 1000;
  bool right = true;
  for (const part& one : now) right &= one.get() == expected;
  return right;
}

template <class ExecutorOf>
bool spawn(const ExecutorOf& executor_of) {
  std::vector<treadle::future<long>> all;
  all.reserve(static_cast<std::size_t>(k_tasks));
  for (long i = 0; i < k_tasks; ++i)
    all.push_back(treadle::async(executor_of(static_cast<std::size_t>(i)), [i] { return i; }));
  long sum = 0;
  for (auto& one : all) sum += one.get();
  return sum == k_tasks * (k_tasks - 1) / 2;
}

/// What a runtime has: workers of its default pool, and how that and others are described.
struct description {
  unsigned workers;
  std::string pools;
};

/// The whole of main(). `described(workers)`: what the runtime has; `executors()`, while it exists, makes executor_of.
template <class Described, class Executors>
int run(int argc, char** argv, const Described& described, const Executors& executors) {
  const description has = described(bench::workers_from(argc, argv));
  treadle::runtime runtime({.workers = has.workers, .pools = has.pools});
  treadle::async([&] {
    const auto executor_of = executors();
    bench::report_repeated("pools/ring", static_cast<long>(k_width * k_rounds), [&] { return ring(executor_of); });
    bench::report_repeated("pools/spawn", k_tasks, [&] { return spawn(executor_of); });
  }).get();
  return 0;
}

/// The same for pools of one kind, the default one.
inline int run_with_policy(int argc, char** argv, const std::string& policy) {
  return run(
      argc, argv,
      [&](unsigned workers) {
        return description{workers, policy.empty() ? std::string() : "default:policy=" + policy};
      },
      [] { return [](std::size_t) { return treadle::parallel_executor(); }; });
}

} // namespace pools_bench
