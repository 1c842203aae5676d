#include "futures/config.hpp"
#include "in_tbb.hpp"

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

bool steal() {
  long sum = 0;
  tbb::task_group group;
  for (long i = 0; i < k_steals; ++i) {
    signal done;
    group.run([&sum, &done, i] {
      sum += i;
      done.set();
    });
    done.look_on();
    group.wait();
  }
  return is_sum_below(sum, k_steals);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] {
    bench::report_repeated("futures/async_get", k_async_get, [] {
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
    bench::report_repeated("futures/fib", k_fib_tasks, [] { return fib(k_fib) == k_fib_result; });
    if (workers > 1) bench::report_repeated("futures/steal", k_steals, steal);
  });
}
