#include "cholesky/kernels.hpp"

#include "cholesky/blas.hpp"
#include "cholesky/by_halves.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace cholesky {

namespace {

int as_int(std::size_t n) noexcept { return static_cast<int>(n); }

/// 0, or the order of the leading minor of the tile that is not positive.
std::size_t factorise_tile(double* data, std::size_t n) {
  if (const std::size_t order = by_halves::factorise({data, n, n, n})) return order;
  // What compares itself with 0 lets NaN pass.
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(data[i * n + i])) return i + 1;
  }
  return 0;
}

} // namespace

not_positive_definite::not_positive_definite(std::size_t tile, std::size_t order)
    : std::domain_error("the matrix is not positive definite: tile (" + std::to_string(tile) + ", " +
                        std::to_string(tile) + "), leading minor of order " + std::to_string(order)),
      m_tile(tile),
      m_order(order) {}

void potrf(const tile& a, std::size_t index, std::size_t begin, unsigned times) {
  const std::vector<double> before(a.data, times > 1 ? a.data + a.rows * a.rows : a.data);
  std::vector<double> copy;
  for (; times > 1; --times) {
    copy = before;
    factorise_tile(copy.data(), a.rows);
  }
  if (const std::size_t order = factorise_tile(a.data, a.rows)) throw not_positive_definite(index, begin + order);
}

void trsm(const tile& b, const tile& l) {
  by_halves::solve({b.data, b.rows, b.columns, b.rows}, {l.data, l.rows, l.columns, l.rows});
}

void syrk(const tile& c, const tile& a) {
  by_halves::update({c.data, c.rows, c.rows, c.rows}, {a.data, a.rows, a.columns, a.rows});
}

void gemm(const tile& c, const tile& a, const tile& b) {
  CHOLESKY_BLAS(cblas_dgemm)
  (CblasColMajor, CblasNoTrans, CblasTrans, as_int(c.rows), as_int(c.columns), as_int(a.columns), -1, a.data,
   as_int(a.rows), b.data, as_int(b.rows), 1, c.data, as_int(c.rows));
}

} // namespace cholesky
