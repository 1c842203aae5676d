#include "counters/config.hpp"

#include <treadle/observe/trace.hpp>

int main(int argc, char** argv) {
  treadle::runtime runtime({.workers = bench::workers_from(argc, argv)});
  const treadle::trace trace;
  counters_bench::measure();
}
