#include "skynet/config.hpp"

#include <treadle/treadle.hpp>

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves);

/// The sum of `n` neighbouring trees: the first of them, and in parallel the rest. Not inlined, as the serial program,
/// which compilers otherwise unroll by levels.
__attribute__((noinline)) long trees(long first, long leaves, long n) {
  if (n == 1) return skynet(first, leaves);
  const auto [one, others] = treadle::parallel_invoke([=] { return skynet(first, leaves); },
                                                      [=] { return trees(first + leaves, leaves, n - 1); });
  return one + others;
}

long skynet(long first, long leaves) { return leaves == 1 ? first : trees(first, leaves / k_branching, k_branching); }

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_large, skynet); }).get();
}
