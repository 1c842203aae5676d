#include "cholesky/config.hpp"

#include <vector>

using namespace cholesky;

// dpotrf of OpenBLAS with threads of its own, on the whole matrix, column by column.
int main(int argc, char** argv) {
  use_blas_threads(bench::workers_from(argc, argv));
  cholesky_bench::tell_kernels();
  for (const auto& [name, n, tile] : cholesky_bench::k_problems) {
    const tiled_matrix a = random_matrix({n, tile}, cholesky_bench::k_seed);
    std::vector<double> original(n * n), columns(n * n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) original[j * n + i] = random_element(cholesky_bench::k_seed, n, i, j);
    }
    const auto rows = static_cast<int>(n);
    int info = 0;
    cholesky_bench::report_prepared(
        name, operations(static_cast<double>(n)), [&] { columns = original; },
        [&] { info |= LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows, columns.data(), rows); },
        [&, size = n] {
          tiled_matrix l(a.shape());
          l.fill([&](std::size_t row, std::size_t column) { return columns[column * size + row]; });
          return info == 0 && residual_of_vector(a, l) <= residual_limit(size);
        });
  }
}
