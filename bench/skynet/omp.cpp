#include "in_omp.hpp"
#include "skynet/config.hpp"

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves) {
  if (leaves == 1) return first;
  const long size = leaves / k_branching;
  long sums[k_branching] = {};
  for (long i = 1; i < k_branching; ++i) {
#pragma omp task shared(sums) firstprivate(first, i, size)
    sums[i] = skynet(first + i * size, size);
  }
  sums[0] = skynet(first, size);
#pragma omp taskwait
  long sum = 0;
  for (const long s : sums) sum += s;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { report(k_large, skynet); });
}
