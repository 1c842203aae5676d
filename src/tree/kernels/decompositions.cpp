// Decompositions whose parts are wanted themselves.
#include "tree/kernels/blas.hpp"
#include "tree/kernels/linear_solver.hpp"

#include "value/strided.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

void check_size(const array& a) {
  for (auto length : a.shape())
    if (length > k_blas_limit / 4) throw value_error("the matrix is too large");
}

bool is_finite(const double* x, i64 count) {
  return std::all_of(x, x + count, [](double e) { return std::isfinite(e); });
}
bool has_nan(const double* x, i64 count) {
  return std::any_of(x, x + count, [](double e) { return std::isnan(e); });
}

} // namespace

lu_parts decompose_lu(const array& a) {
  if (a.rank() != 2) throw value_error("expected a matrix, found an array of shape " + to_string(a.shape()));
  check_size(a);
  const auto m = a.shape()[0], n = a.shape()[1], k = std::min(m, n);
  auto packed = array::uninitialized(dtype::float64, {m, n});
  auto* x = packed.mutable_data<double>();
  detail::copy_elements(a, dtype::float64, packed.strides(), x);
  if (!is_finite(x, packed.size())) throw value_error("the matrix holds nan or inf");
  std::vector<lapack_int> pivots(static_cast<std::size_t>(k));
  prepare_blas();
  if (k > 0)
    TREADLE_BLAS(LAPACKE_dgetrf)(LAPACK_ROW_MAJOR, static_cast<lapack_int>(m), static_cast<lapack_int>(n), x,
                                 static_cast<lapack_int>(n), pivots.data()); // singular: the parts exist all the same
  std::vector<i64> rows(static_cast<std::size_t>(m));                        // of a, in the order of the decomposition
  std::iota(rows.begin(), rows.end(), i64(0));
  for (i64 i = 0; i < k; ++i)
    std::swap(rows[static_cast<std::size_t>(i)],
              rows[static_cast<std::size_t>(pivots[static_cast<std::size_t>(i)] - 1)]);
  lu_parts parts{array::zeros(dtype::float64, {m, m}), array::zeros(dtype::float64, {m, k}),
                 array::zeros(dtype::float64, {k, n})};
  auto *p = parts.permutation.mutable_data<double>(), *l = parts.lower.mutable_data<double>(),
       *u = parts.upper.mutable_data<double>();
  for (i64 i = 0; i < m; ++i) p[rows[static_cast<std::size_t>(i)] * m + i] = 1.0;
  for (i64 i = 0; i < m; ++i)
    for (i64 j = 0; j < k; ++j) l[i * k + j] = i == j ? 1.0 : i > j ? x[i * n + j] : 0.0;
  for (i64 i = 0; i < k; ++i)
    for (i64 j = i; j < n; ++j) u[i * n + j] = x[i * n + j];
  return parts;
}

array singular_values(const array& a) {
  check_size(a);
  const auto m = a.shape()[a.rank() - 2], n = a.shape()[a.rank() - 1], k = std::min(m, n);
  extents shape = a.shape();
  shape.erase(a.rank() - 1);
  shape[shape.rank() - 1] = k;
  auto result = array::uninitialized(dtype::float64, shape);
  auto copy = a.cast(dtype::float64).copy(); // LAPACK destroys its matrix
  auto* matrix = copy.mutable_data<double>();
  auto* values = result.mutable_data<double>();
  prepare_blas();
  for (i64 i = 0; k > 0 && i < copy.size() / (m * n); ++i, matrix += m * n, values += k) {
    if (!is_finite(matrix, m * n) && !has_nan(matrix, m * n)) { // as NumPy
      std::fill_n(values, k, std::nan(""));
      continue;
    }
    if (has_nan(matrix, m * n) ||
        TREADLE_BLAS(LAPACKE_dgesdd)(LAPACK_ROW_MAJOR, 'N', static_cast<lapack_int>(m), static_cast<lapack_int>(n),
                                     matrix, static_cast<lapack_int>(n), values, nullptr,
                                     static_cast<lapack_int>(std::max<i64>(1, m)), nullptr,
                                     static_cast<lapack_int>(std::max<i64>(1, n))) != 0)
      throw value_error(error_kind::linear_algebra, "the singular values of the matrix did not converge");
  }
  return result;
}

} // namespace treadle::tree
