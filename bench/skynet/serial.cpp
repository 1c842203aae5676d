#include "skynet/config.hpp"

using namespace skynet_bench;

namespace {

__attribute__((noinline)) long skynet(long first, long leaves) {
  if (leaves == 1) return first;
  const long size = leaves / k_branching;
  long sum = 0;
  for (long i = 0; i < k_branching; ++i) sum += skynet(first + i * size, size);
  return sum;
}

} // namespace

int main() { report(k_large, skynet); }
