#include "fib/config.hpp"
#include "in_omp.hpp"

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

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { fib_bench::report(fib_bench::k_small, fib); });
}
