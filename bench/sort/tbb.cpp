#include "in_tbb.hpp"
#include "sort/config.hpp"

#include <tbb/parallel_sort.h>

using namespace sort_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report([](auto first, auto last) { tbb::parallel_sort(first, last); }); });
}
