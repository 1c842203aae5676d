#pragma once

#include <cstddef>

/// Level-3 operations by halves (Peise and Bientinesi, "Algorithm 979: Recursive Algorithms for Dense Linear Algebra",
/// ACM TOMS 44(2), 2017): most of their work becomes products of matrices, which are the fastest that a BLAS has.
namespace cholesky::by_halves {

/// Column-major; `next` is the distance of two columns.
struct block {
  double* data;
  std::size_t rows, columns, next;
};

/// c := c - a b^T, in one piece.
void subtract_product(const block& c, const block& a, const block& b);
/// b := b l^-T, with l lower triangular.
void solve(const block& b, const block& l);
/// c := c - a a^T, the lower triangle.
void update(const block& c, const block& a);
/// a := its lower Cholesky factor. Returns 0, or the order of the first leading minor that is not positive.
std::size_t factorise(const block& a);

} // namespace cholesky::by_halves
