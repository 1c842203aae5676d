#include "in_omp.hpp"
#include "spawn_flat/config.hpp"

using namespace spawn_flat_bench;

namespace {

void spawn(long count, long* results) {
  for (long i = 0; i < count; ++i) {
#pragma omp task firstprivate(i, results)
    results[i] = i;
  }
#pragma omp taskwait
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { report(k_tasks, spawn); });
}
