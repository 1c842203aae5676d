#include "start_stop/config.hpp"

#include <treadle/treadle.hpp>

using namespace start_stop_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  report([=] {
    treadle::runtime runtime({.workers = workers});
    return treadle::async([] { return 1L; }).get();
  });
}
