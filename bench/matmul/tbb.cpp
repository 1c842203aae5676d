#include "in_tbb.hpp"
#include "matmul/config.hpp"

#include <tbb/parallel_invoke.h>

using namespace matmul_bench;

namespace {

void multiply(product p) {
  if (p.is_tile()) return p.multiply_tile();
  if (p.splits_inner()) {
    multiply(p.half(0));
    multiply(p.half(1));
  } else {
    tbb::parallel_invoke([&] { multiply(p.half(0)); }, [&] { multiply(p.half(1)); });
  }
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report(multiply); });
}
