#include "skynet/config.hpp"

#include <treadle/treadle.hpp>

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves);

/// Those numbered from `begin` to `end` of the ten subtrees with `leaves` leaves each.
long subtrees(long first, long leaves, long begin, long end) {
  if (end - begin == 1) return skynet(first + begin * leaves, leaves);
  const long middle = begin + (end - begin) / 2;
  const auto [left, right] = treadle::parallel_invoke([=] { return subtrees(first, leaves, begin, middle); },
                                                      [=] { return subtrees(first, leaves, middle, end); });
  return left + right;
}

long skynet(long first, long leaves) {
  return leaves == 1 ? first : subtrees(first, leaves / k_branching, 0, k_branching);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_large, skynet); }).get();
}
