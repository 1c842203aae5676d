#include "cholesky/config.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace cholesky;

// No factorisation but a yardstick: the product of two matrices of that size, by OpenBLAS with threads of its own.
int main(int argc, char** argv) {
  use_blas_threads(bench::workers_from(argc, argv));
  cholesky_bench::tell_kernels();
  for (const auto& [name, n, tile] : cholesky_bench::k_problems) {
    std::vector<double> a(n * n), b(n * n), c(n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
      a[i] = random_element(1, 0, i, 0);
      b[i] = random_element(2, 0, i, 0);
    }
    const auto rows = static_cast<int>(n);
    const auto size = static_cast<double>(n);
    cholesky_bench::report_prepared(
        name, 2 * size * size * size, [] {},
        [&] {
          cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, rows, rows, 1, a.data(), rows, b.data(), rows, 0,
                      c.data(), rows);
        },
        [&, length = n] { // one column by hand
          const std::size_t column = length / 3;
          double worst = 0;
          for (std::size_t i = 0; i < length; ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < length; ++k) sum += a[k * length + i] * b[column * length + k];
            worst = std::max(worst, std::abs(sum - c[column * length + i]));
          }
          return worst <= residual_limit(length);
        });
  }
}
