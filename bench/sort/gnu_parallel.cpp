#include "sort/config.hpp"

#include <omp.h>
#include <parallel/algorithm>

using namespace sort_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  omp_set_num_threads(static_cast<int>(workers));
  report([](auto first, auto last) { __gnu_parallel::sort(first, last); });
}
