#include "fib/config.hpp"

#include <treadle/treadle.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [left, right] = treadle::parallel_invoke([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return left + right;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  fib_bench::report(fib_bench::k_large, [](int n) { return treadle::async(fib, n).get(); });
}
