#include "sort/config.hpp"

#include <treadle/algorithm.hpp>
#include <treadle/treadle.hpp>

using namespace sort_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report([](auto first, auto last) { treadle::sort(treadle::par, first, last); }); }).get();
}
