#include "in_tbb.hpp"
#include "sort/config.hpp"

#include <execution>

using namespace sort_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { // which libstdc++ is built on
    report([](auto first, auto last) { std::sort(std::execution::par, first, last); });
  });
}
