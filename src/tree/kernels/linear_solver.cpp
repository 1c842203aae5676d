#include "tree/kernels/linear_solver.hpp"

#include "tree/kernels/blas.hpp"
#include "value/strided.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
constexpr i64 k_small_matrix = 16; // own loops up to this order

i64 order_of(const array& a) {
  if (a.rank() != 2 || a.shape()[0] != a.shape()[1])
    throw value_error(error_kind::linear_algebra,
                      "expected a square matrix, found an array of shape " + to_string(a.shape()));
  return a.shape()[0];
}

[[noreturn]] void singular(i64 n) {
  throw value_error(error_kind::linear_algebra, "the matrix of shape " + to_string(extents{n, n}) + " is singular");
}

// Decomposes the row-major matrix at `a` in place; pivots[k] is the row exchanged with k. False when singular.
bool decompose_small(double* a, i64 n, int* pivots) noexcept {
  for (i64 k = 0; k < n; ++k) {
    i64 best = k;
    for (i64 i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    pivots[k] = static_cast<int>(best);
    if (a[best * n + k] == 0.0) return false;
    if (best != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + best * n);
    const double scale = 1.0 / a[k * n + k];
    for (i64 i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] *= scale;
      for (i64 j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

// Solves in place for `columns` right-hand sides, row-major at `b`.
void substitute_small(const double* lu, i64 n, const int* pivots, double* b, i64 columns) noexcept {
  for (i64 k = 0; k < n; ++k)
    if (pivots[k] != k) std::swap_ranges(b + k * columns, b + (k + 1) * columns, b + pivots[k] * columns);
  for (i64 i = 1; i < n; ++i)
    for (i64 k = 0; k < i; ++k)
      for (i64 j = 0; j < columns; ++j) b[i * columns + j] -= lu[i * n + k] * b[k * columns + j];
  for (i64 i = n; i-- > 0;) {
    for (i64 k = i + 1; k < n; ++k)
      for (i64 j = 0; j < columns; ++j) b[i * columns + j] -= lu[i * n + k] * b[k * columns + j];
    const double scale = 1.0 / lu[i * n + i];
    for (i64 j = 0; j < columns; ++j) b[i * columns + j] *= scale;
  }
}

class decomposition {
 public:
  explicit decomposition(const array& a) : m_n(order_of(a)) {
    if (m_n > k_blas_limit / 4) throw value_error("the matrix is too large");
    if (m_n > k_small_matrix) {
      m_large_lu.resize(static_cast<std::size_t>(m_n * m_n));
      m_large_pivots.resize(static_cast<std::size_t>(m_n));
    }
    detail::copy_elements(a, dtype::float64, {m_n, 1}, lu());
    if (m_n <= k_small_matrix) {
      m_regular = decompose_small(lu(), m_n, m_pivots);
    } else {
      prepare_blas();
      const auto n = static_cast<lapack_int>(m_n);
      m_regular = TREADLE_BLAS(LAPACKE_dgetrf_work)(LAPACK_ROW_MAJOR, n, n, lu(), n, m_large_pivots.data()) == 0;
    }
  }

  i64 order() const noexcept { return m_n; }
  bool regular() const noexcept { return m_regular; }

  void substitute(double* b, i64 columns) {
    if (m_n <= k_small_matrix) return substitute_small(lu(), m_n, m_pivots, b, columns);
    const auto n = static_cast<lapack_int>(m_n), k = static_cast<lapack_int>(columns);
    TREADLE_BLAS(LAPACKE_dgetrs)(LAPACK_ROW_MAJOR, 'N', n, k, lu(), n, m_large_pivots.data(), b,
                                 std::max<lapack_int>(1, k));
  }

  double determinant() const noexcept {
    if (!m_regular) return 0.0;
    double product = 1.0;
    for (i64 i = 0; i < m_n; ++i) {
      const bool exchanged =
          m_n <= k_small_matrix ? m_pivots[i] != i : m_large_pivots[static_cast<std::size_t>(i)] != i + 1;
      product *= exchanged ? -lu()[i * m_n + i] : lu()[i * m_n + i];
    }
    return product;
  }

 private:
  double* lu() noexcept { return m_n <= k_small_matrix ? m_lu : m_large_lu.data(); }
  const double* lu() const noexcept { return m_n <= k_small_matrix ? m_lu : m_large_lu.data(); }

  i64 m_n;
  bool m_regular = false;
  double m_lu[k_small_matrix * k_small_matrix];
  int m_pivots[k_small_matrix];
  std::vector<double> m_large_lu;
  std::vector<lapack_int> m_large_pivots;
};

} // namespace

array solve(const array& a, const array& b) {
  decomposition d(a);
  if (b.rank() == 0 || b.rank() > 2 || b.shape()[0] != d.order())
    throw value_error("a right-hand side of shape " + to_string(b.shape()) + " does not fit a matrix of shape " +
                      to_string(a.shape()));
  if (!d.regular()) singular(d.order());
  auto x = array::uninitialized(dtype::float64, b.shape());
  auto* data = static_cast<double*>(x.object()->data);
  detail::copy_elements(b, dtype::float64, x.strides(), data);
  d.substitute(data, b.rank() == 1 ? 1 : b.shape()[1]);
  return x;
}

array inverse(const array& a) {
  decomposition d(a);
  const auto n = d.order();
  if (!d.regular()) singular(n);
  auto x = array::zeros(dtype::float64, {n, n});
  auto* data = static_cast<double*>(x.object()->data);
  for (i64 i = 0; i < n; ++i) data[i * n + i] = 1.0;
  d.substitute(data, n);
  return x;
}

double determinant(const array& a) { return decomposition(a).determinant(); }

} // namespace treadle::tree
