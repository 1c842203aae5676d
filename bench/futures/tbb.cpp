#include "futures/config.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

using namespace futures_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  tbb::task_group group;
  group.run([&left, n] { left = fib(n - 1); });
  const long right = fib(n - 2);
  group.wait();
  return left + right;
}

long fork_fib(int n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  tbb::parallel_invoke([&] { left = fork_fib(n - 1); }, [&] { right = fork_fib(n - 2); });
  return left + right;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] {
    bench::report("futures/async_get", "tbb_task_group", workers, k_async_get, [] {
      long sum = 0;
      tbb::task_group group;
      for (long i = 0; i < k_async_get; ++i) {
        long result = 0;
        group.run([&result, i] { result = i; });
        group.wait();
        sum += result;
      }
      return is_sum_below(sum, k_async_get);
    });
    bench::report("futures/fib", "tbb_task_group", workers, k_fib_tasks, [] { return fib(k_fib) == k_fib_result; });
    bench::report("futures/fork_fib", "tbb_parallel_invoke", workers, k_fork_fib_calls,
                  [] { return fork_fib(k_fork_fib) == k_fork_fib_result; });
  });
}
