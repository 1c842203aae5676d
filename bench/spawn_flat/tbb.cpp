#include "in_tbb.hpp"
#include "spawn_flat/config.hpp"

#include <tbb/task_group.h>

using namespace spawn_flat_bench;

namespace {

void spawn(long count, long* results) {
  tbb::task_group tasks;
  for (long i = 0; i < count; ++i) tasks.run([=] { results[i] = i; });
  tasks.wait();
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report(k_tasks, spawn); });
}
