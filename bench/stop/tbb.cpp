#include "in_tbb.hpp"
#include "stop/config.hpp"

#include <tbb/parallel_for.h>

using namespace stop_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  report([=](std::chrono::microseconds after) {
    tbb::task_group_context context;
    return one(
        after,
        [&] {
          bench::in_tbb(workers,
                        [&] { tbb::parallel_for(0L, k_iterations, iterate, tbb::auto_partitioner(), context); });
        },
        [&] { context.cancel_group_execution(); });
  });
}
