#include "cholesky/by_halves.hpp"

#include "cholesky/blas.hpp"

namespace cholesky::by_halves {

namespace {

// Blocks of up to this many rows or columns are left to the library's own routines; larger ones are halved.
constexpr std::size_t k_solved_at_once = 16, k_updated_at_once = 16, k_factorised_at_once = 32;

int as_int(std::size_t n) noexcept { return static_cast<int>(n); }

/// The first half, rounded to what fills vector registers.
std::size_t half_of(std::size_t n) noexcept { return (n / 2 + 7) / 8 * 8; }

block part(const block& of, std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) noexcept {
  return {of.data + column * of.next + row, rows, columns, of.next};
}

} // namespace

void subtract_product(const block& c, const block& a, const block& b) {
  CHOLESKY_BLAS(cblas_dgemm)
  (CblasColMajor, CblasNoTrans, CblasTrans, as_int(c.rows), as_int(c.columns), as_int(a.columns), -1, a.data,
   as_int(a.next), b.data, as_int(b.next), 1, c.data, as_int(c.next));
}

void solve(const block& b, const block& l) {
  const std::size_t n = b.columns, h = half_of(n), rest = n - h;
  if (n <= k_solved_at_once) {
    CHOLESKY_BLAS(cblas_dtrsm)
    (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, as_int(b.rows), as_int(n), 1, l.data,
     as_int(l.next), b.data, as_int(b.next));
    return;
  }
  const block left = part(b, 0, 0, b.rows, h), right = part(b, 0, h, b.rows, rest);
  solve(left, part(l, 0, 0, h, h));
  subtract_product(right, left, part(l, h, 0, rest, h));
  solve(right, part(l, h, h, rest, rest));
}

void update(const block& c, const block& a) {
  const std::size_t n = c.rows, h = half_of(n), rest = n - h;
  if (n <= k_updated_at_once) {
    CHOLESKY_BLAS(cblas_dsyrk)
    (CblasColMajor, CblasLower, CblasNoTrans, as_int(n), as_int(a.columns), -1, a.data, as_int(a.next), 1, c.data,
     as_int(c.next));
    return;
  }
  const block above = part(a, 0, 0, h, a.columns), below = part(a, h, 0, rest, a.columns);
  update(part(c, 0, 0, h, h), above);
  subtract_product(part(c, h, 0, rest, h), below, above);
  update(part(c, h, h, rest, rest), below);
}

std::size_t factorise(const block& a) {
  const std::size_t n = a.rows, h = half_of(n), rest = n - h;
  if (n <= k_factorised_at_once) {
    const auto info = CHOLESKY_BLAS(LAPACKE_dpotrf_work)(LAPACK_COL_MAJOR, 'L', as_int(n), a.data, as_int(a.next));
    return info > 0 ? static_cast<std::size_t>(info) : 0;
  }
  const block first = part(a, 0, 0, h, h), below = part(a, h, 0, rest, h), second = part(a, h, h, rest, rest);
  if (const std::size_t order = factorise(first)) return order;
  solve(below, first);
  update(second, below);
  const std::size_t order = factorise(second);
  return order == 0 ? 0 : h + order;
}

} // namespace cholesky::by_halves
