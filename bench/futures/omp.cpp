#include "futures/config.hpp"

using namespace futures_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
#pragma omp task shared(left) firstprivate(n)
  left = fib(n - 1);
  const long right = fib(n - 2);
#pragma omp taskwait
  return left + right;
}

// A function and not a lambda in main: GCC 12 cannot compile a task inside that.
bool async_get() {
  long sum = 0;
  for (long i = 0; i < k_async_get; ++i) {
    long result = 0;
#pragma omp task shared(result) firstprivate(i)
    result = i;
#pragma omp taskwait
    sum += result;
  }
  return is_sum_below(sum, k_async_get);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
#pragma omp parallel num_threads(static_cast<int>(workers))
#pragma omp single
  {
    bench::report("futures/async_get", "omp_task", workers, k_async_get, async_get);
    bench::report("futures/fib", "omp_task", workers, k_fib_tasks, [] { return fib(k_fib) == k_fib_result; });
    bench::report("futures/fork_fib", "omp_task", workers, k_fork_fib_calls,
                  [] { return fib(k_fork_fib) == k_fork_fib_result; });
  }
}
