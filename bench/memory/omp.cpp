#include "in_omp.hpp"
#include "memory/config.hpp"

using namespace memory_bench;

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

} // namespace

// Without memory_alive: both implementations run a task at once when many of them wait.
int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { report_growth("memory_fib", 0, [] { return fib(k_fib) == k_fib_result; }); });
}
