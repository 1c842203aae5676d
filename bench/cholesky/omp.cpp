#include "cholesky/config.hpp"
#include "in_omp.hpp"

#include <unistd.h>

using namespace cholesky;
using cholesky_bench::bottom_level;

namespace {

// The first element of a tile stands for all of it.
void factorise(const tiled_matrix& a) {
  const tiling& shape = a.shape();
  const std::size_t tiles = shape.count();
  for (std::size_t k = 0; k < tiles; ++k) {
    const tile kk = a.at(k, k);
    const std::size_t begin = shape.begin(k);
#pragma omp task depend(inout : *kk.data) priority(bottom_level(tiles, k, k, k)) firstprivate(kk, k, begin)
    potrf(kk, k, begin);
    for (std::size_t i = k + 1; i < tiles; ++i) {
      const tile ik = a.at(i, k);
#pragma omp task depend(in : *kk.data) depend(inout : *ik.data) priority(bottom_level(tiles, i, k, k))                 \
    firstprivate(ik, kk)
      trsm(ik, kk);
    }
    for (std::size_t j = k + 1; j < tiles; ++j) {
      const tile jk = a.at(j, k), jj = a.at(j, j);
#pragma omp task depend(in : *jk.data) depend(inout : *jj.data) priority(bottom_level(tiles, j, j, k))                 \
    firstprivate(jj, jk)
      syrk(jj, jk);
      for (std::size_t i = j + 1; i < tiles; ++i) {
        const tile ik = a.at(i, k), ij = a.at(i, j);
#pragma omp task depend(in : *ik.data, *jk.data) depend(inout : *ij.data) priority(bottom_level(tiles, i, j, k))       \
    firstprivate(ij, ik, jk)
        gemm(ij, ik, jk);
      }
    }
  }
#pragma omp taskwait
}

} // namespace

int main(int argc, char** argv) {
  if (!std::getenv("OMP_MAX_TASK_PRIORITY")) { // every priority is 0 without it; it is read before main()
    setenv("OMP_MAX_TASK_PRIORITY", "1000000", 1);
    execv("/proc/self/exe", argv);
  }
  bench::in_omp(bench::workers_from(argc, argv),
                [&] { cholesky_bench::report(argc, argv, [](tiled_matrix& a) { return [&a] { factorise(a); }; }); });
}
