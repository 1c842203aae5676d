#include "in_omp.hpp"
#include "start_stop/config.hpp"

#include <omp.h>

using namespace start_stop_bench;

namespace {

void task(long& result) {
#pragma omp task shared(result)
  result = 1;
#pragma omp taskwait
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  report([=] {
    long result = 0;
    bench::in_omp(workers, [&] { task(result); });
    omp_pause_resource_all(omp_pause_hard);
    return result;
  });
}
