#include "loops/config.hpp"

#include <treadle/algorithm.hpp>
#include <treadle/treadle.hpp>

using namespace loops_bench;

namespace {

struct parallel_loop {
  template <class Body>
  void operator()(long n, Body body) const {
    treadle::for_loop(treadle::par, 0L, n, body);
  }
};

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(parallel_loop()); }).get();
}
