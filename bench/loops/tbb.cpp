#include "in_tbb.hpp"
#include "loops/config.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

using namespace loops_bench;

namespace {

// The static partitioner is several times faster here than the automatic one, which is made for uneven loops.
struct parallel_loop {
  template <class Body>
  void operator()(long n, Body body) const {
    tbb::parallel_for(
        tbb::blocked_range<long>(0, n),
        [=](const tbb::blocked_range<long>& range) {
          for (long i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::static_partitioner());
  }
};

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report(parallel_loop()); });
}
