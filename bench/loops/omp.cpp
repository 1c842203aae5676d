#include "loops/config.hpp"

using namespace loops_bench;

namespace {

struct parallel_loop {
  unsigned workers;

  template <class Body>
  void operator()(long n, Body body) const {
#pragma omp parallel for num_threads(static_cast<int>(workers)) schedule(static)
    for (long i = 0; i < n; ++i) body(i);
  }
};

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  report(parallel_loop{workers});
}
