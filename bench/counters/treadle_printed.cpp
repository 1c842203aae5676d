#include "counters/config.hpp"

/// All counters are read every 100 ms.
int main(int argc, char** argv) {
  treadle::runtime runtime({.workers = bench::workers_from(argc, argv),
                            .print_counters = {"/*/*"},
                            .print_counter_interval_ms = 100,
                            .print_counter_destination = "/dev/null"});
  counters_bench::measure();
}
