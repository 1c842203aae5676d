#include "in_tbb.hpp"
#include "wait_all/config.hpp"

#include <tbb/task_group.h>
#include <vector>

using namespace wait_all_bench;

namespace {

// oneTBB has no futures; this is what its users write instead.
long sum(long count) {
  std::vector<long> values(static_cast<std::size_t>(count));
  tbb::task_group tasks;
  for (long i = 0; i < count; ++i) tasks.run([i, &value = values[static_cast<std::size_t>(i)]] { value = i; });
  tasks.wait();
  long result = 0;
  for (const long value : values) result += value;
  return result;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report(k_futures, sum); });
}
