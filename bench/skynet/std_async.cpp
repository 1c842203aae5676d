#include "skynet/config.hpp"

#include <array>
#include <future>

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves) {
  if (leaves == 1) return first;
  const long size = leaves / k_branching;
  std::array<std::future<long>, k_branching> children;
  for (long i = 0; i < k_branching; ++i) {
    children[static_cast<std::size_t>(i)] = std::async(std::launch::async, skynet, first + i * size, size);
  }
  long sum = 0;
  for (auto& child : children) sum += child.get();
  return sum;
}

} // namespace

int main() { report(k_threads, skynet); }
