// Solvers for symmetric matrices.
#include "tree/kernels/blas.hpp"
#include "tree/kernels/linear_solver.hpp"

#include "value/strided.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

// The matrix and the right-hand sides of a system as LAPACK takes them, checked.
struct linear_system {
  linear_system(const array& a, const array& b)
      : x(array::uninitialized(dtype::float64, b.shape())),
        n(static_cast<lapack_int>(a.rank() ? a.shape()[0] : 0)),
        columns(static_cast<lapack_int>(b.rank() == 2 ? b.shape()[1] : 1)) {
    if (a.rank() != 2 || a.shape()[0] != a.shape()[1] || a.shape()[0] > k_blas_limit / 4)
      throw value_error(error_kind::linear_algebra,
                        "expected a square matrix, found an array of shape " + to_string(a.shape()));
    if (b.rank() == 0 || b.rank() > 2 || b.shape()[0] != a.shape()[0])
      throw value_error("a right-hand side of shape " + to_string(b.shape()) + " does not fit a matrix of shape " +
                        to_string(a.shape()));
    prepare_blas();
    matrix.resize(static_cast<std::size_t>(a.size()));
    detail::copy_elements(a, dtype::float64, {a.shape()[0], 1}, matrix.data());
    auto* const to = x.mutable_raw_data();
    detail::copy_elements(b, dtype::float64, x.strides(), to);
  }
  lapack_int row_length() const noexcept { return std::max<lapack_int>(1, columns); }

  std::vector<double> matrix;
  array x;
  lapack_int n, columns;
};

} // namespace

array solve_cholesky(const array& a, const array& b, triangle read) {
  linear_system s(a, b);
  const auto part = static_cast<char>(read);
  if (s.n == 0) return s.x;
  if (TREADLE_BLAS(LAPACKE_dpotrf)(LAPACK_ROW_MAJOR, part, s.n, s.matrix.data(), s.n) != 0)
    throw value_error(error_kind::linear_algebra,
                      "the matrix of shape " + to_string(a.shape()) + " is not positive definite");
  TREADLE_BLAS(LAPACKE_dpotrs)(LAPACK_ROW_MAJOR, part, s.n, s.columns, s.matrix.data(), s.n, s.x.mutable_data<double>(),
                               s.row_length());
  return s.x;
}

array solve_ldlt(const array& a, const array& b, triangle read) {
  linear_system s(a, b);
  const auto part = static_cast<char>(read);
  if (s.n == 0) return s.x;
  std::vector<lapack_int> pivots(static_cast<std::size_t>(s.n));
  if (TREADLE_BLAS(LAPACKE_dsytrf)(LAPACK_ROW_MAJOR, part, s.n, s.matrix.data(), s.n, pivots.data()) != 0)
    throw value_error(error_kind::linear_algebra, "the matrix of shape " + to_string(a.shape()) + " is singular");
  TREADLE_BLAS(LAPACKE_dsytrs)(LAPACK_ROW_MAJOR, part, s.n, s.columns, s.matrix.data(), s.n, pivots.data(),
                               s.x.mutable_data<double>(), s.row_length());
  return s.x;
}

array solve_conjugate_gradient(const array& a, const array& b, double tolerance, i64 iterations) {
  linear_system s(a, b);
  if (b.rank() != 1) throw value_error("expected a vector, found an array of shape " + to_string(b.shape()));
  const auto n = static_cast<std::size_t>(s.n);
  std::vector<double> r(n), p(n), q(n);
  std::copy_n(s.x.data<double>(), n, r.begin());
  auto* const x = s.x.mutable_data<double>();
  std::fill_n(x, n, 0.0);
  const auto product = [&](const std::vector<double>& u, const std::vector<double>& v) {
    return TREADLE_BLAS(cblas_ddot)(s.n, u.data(), 1, v.data(), 1);
  };
  const double enough = tolerance * std::sqrt(product(r, r));
  double before = 1.0;
  for (i64 k = 0; k <= iterations; ++k) {
    const double now = product(r, r);
    if (std::sqrt(now) < enough || now == 0.0) return s.x;
    if (k == iterations) break;
    const double turn = k == 0 ? 0.0 : now / before;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + turn * p[i];
    TREADLE_BLAS(cblas_dgemv)(CblasRowMajor, CblasNoTrans, s.n, s.n, 1.0, s.matrix.data(), s.n, p.data(), 1, 0.0,
                              q.data(), 1);
    const double step = now / product(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += step * p[i];
      r[i] -= step * q[i];
    }
    before = now;
  }
  throw value_error("conjugate gradients did not converge in " + std::to_string(iterations) +
                    " iterations: is the matrix symmetric and positive definite?");
}

} // namespace treadle::tree
