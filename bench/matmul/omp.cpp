#include "in_omp.hpp"
#include "matmul/config.hpp"

using namespace matmul_bench;

namespace {

void multiply(product p) {
  if (p.is_tile()) return p.multiply_tile();
  if (p.splits_inner()) {
    multiply(p.half(0));
    multiply(p.half(1));
  } else {
#pragma omp task firstprivate(p)
    multiply(p.half(0));
    multiply(p.half(1));
#pragma omp taskwait
  }
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { report(multiply); });
}
