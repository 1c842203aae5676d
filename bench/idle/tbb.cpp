#include "idle/config.hpp"
#include "in_tbb.hpp"

#include <tbb/parallel_invoke.h>

using namespace idle_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  tbb::parallel_invoke([&] { left = fib(n - 1); }, [&] { right = fib(n - 2); });
  return left + right;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report([] { return fib(k_fib); }); });
}
