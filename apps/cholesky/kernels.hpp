#pragma once

#include "cholesky/tiled_matrix.hpp"

#include <cstddef>
#include <stdexcept>

/// The work of the four kinds of tasks, on one thread. Results go to the first argument.
namespace cholesky {

/// A matrix that has no Cholesky factor.
class not_positive_definite : public std::domain_error {
 public:
  /// `order`: of the first leading minor of the whole matrix that is not positive; `tile`: on the diagonal, where it
  /// ends.
  not_positive_definite(std::size_t tile, std::size_t order);
  std::size_t tile() const noexcept { return m_tile; }
  std::size_t order() const noexcept { return m_order; }

 private:
  std::size_t m_tile, m_order;
};

/// a := its lower Cholesky factor. The factor is computed `times` times, all but once on copies, so that the task takes
/// that many times as long. `index` and `begin` are the tile's place on the diagonal and its first row, for messages.
/// Throws not_positive_definite, also when an element of the diagonal is not finite.
void potrf(const tile& a, std::size_t index, std::size_t begin, unsigned times = 1);
/// b := b l^-T, for a tile below the factor l.
void trsm(const tile& b, const tile& l);
/// c := c - a a^T, the lower triangle, for a tile on the diagonal.
void syrk(const tile& c, const tile& a);
/// c := c - a b^T.
void gemm(const tile& c, const tile& a, const tile& b);

} // namespace cholesky
