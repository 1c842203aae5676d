#include "idle/config.hpp"

#include <treadle/treadle.hpp>

using namespace idle_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto left = treadle::async(fib, n - 1);
  const long right = fib(n - 2);
  return left.get() + right;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  report([] { return treadle::async(fib, k_fib).get(); });
}
