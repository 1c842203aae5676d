#include "counters/config.hpp"

int main(int argc, char** argv) {
  treadle::runtime runtime({.workers = bench::workers_from(argc, argv)});
  counters_bench::measure();
}
