#include "cholesky/kernels.hpp"

#include "cholesky/by_halves.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace cholesky {

namespace {

by_halves::block whole(const tile& a) noexcept { return {a.data, a.rows, a.columns, a.rows}; }

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

void trsm(const tile& b, const tile& l) { by_halves::solve(whole(b), whole(l)); }
void syrk(const tile& c, const tile& a) { by_halves::update(whole(c), whole(a)); }
void gemm(const tile& c, const tile& a, const tile& b) { by_halves::subtract_product(whole(c), whole(a), whole(b)); }

} // namespace cholesky
