#include "futures/config.hpp"
#include "in_omp.hpp"

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

bool steal() {
  long sum = 0;
  for (long i = 0; i < k_steals; ++i) {
    signal done;
#pragma omp task shared(sum, done) firstprivate(i)
    {
      sum += i;
      done.set();
    }
    done.look_on();
#pragma omp taskwait
  }
  return is_sum_below(sum, k_steals);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] {
    bench::report_repeated("futures/async_get", k_async_get, async_get);
    bench::report_repeated("futures/fib", k_fib_tasks, [] { return fib(k_fib) == k_fib_result; });
    if (workers > 1) bench::report_repeated("futures/steal", k_steals, steal);
  });
}
