#include "skynet/config.hpp"

#include <treadle/treadle.hpp>

#include <array>

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves) {
  if (leaves == 1) return first;
  const long size = leaves / k_branching;
  std::array<treadle::future<long>, k_branching> children;
  for (long i = 0; i < k_branching; ++i) {
    children[static_cast<std::size_t>(i)] = treadle::async([=] { return skynet(first + i * size, size); });
  }
  long sum = 0;
  for (auto& child : children) sum += child.get();
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_large, skynet); }).get();
}
