#include "in_tbb.hpp"
#include "skynet/config.hpp"

#include <tbb/task_group.h>

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves) {
  if (leaves == 1) return first;
  const long size = leaves / k_branching;
  long sums[k_branching] = {};
  tbb::task_group children;
  for (long i = 1; i < k_branching; ++i) children.run([=, &sums] { sums[i] = skynet(first + i * size, size); });
  sums[0] = skynet(first, size);
  children.wait();
  long sum = 0;
  for (const long s : sums) sum += s;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report(k_large, skynet); });
}
