#include "tree/matrix_product.hpp"

#include "physl/value/objects.hpp"
#include "physl/value/strided.hpp"
#include "tree/blas.hpp"
#include "tree/primitive.hpp"
#include "tree/services.hpp"

#include <treadle/for_loop.hpp>

#include <algorithm>
#include <cstring>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
constexpr i64 k_small_product = 16 * 16 * 16;        // multiply-adds below which BLAS costs more than it saves
constexpr i64 k_tile_work = i64(1) << 21;            // and those that are worth a tile, about 100 us
constexpr i64 k_least_tile = 512, k_most_tiles = 16; // rows or columns: BLAS packs the other matrix once per tile,
// so with 128 a product takes 10 % longer, with 512 1 %

// A matrix of any element layout; a vector is a matrix of one row or column.
template <class T>
struct matrix {
  const T* data;
  i64 rows, columns, row_stride, column_stride;
};

constexpr std::size_t k_narrow = 16;

// Where b has N contiguous columns: a row of the result stays in registers. The same sums in the same order as below.
template <std::size_t N, class T>
void narrow_product(const matrix<T>& a, const matrix<T>& b, T* out) {
  for (i64 i = 0; i < a.rows; ++i, out += N) {
    T row[N]{};
    for (i64 p = 0; p < a.columns; ++p) {
      const T factor = a.data[i * a.row_stride + p * a.column_stride];
      const T* from = b.data + p * b.row_stride;
      for (std::size_t j = 0; j < N; ++j) row[j] += factor * from[j];
    }
    std::copy_n(row, N, out);
  }
}

template <class T, std::size_t N = 2>
void narrow_product_of(const matrix<T>& a, const matrix<T>& b, T* out) {
  if (b.columns == i64(N)) return narrow_product<N>(a, b, out);
  if constexpr (N < k_narrow) narrow_product_of<T, N + 1>(a, b, out);
}

template <class T>
void small_product(const matrix<T>& a, const matrix<T>& b, T* out) {
  const i64 m = a.rows, n = b.columns, k = a.columns;
  if (b.column_stride == 1 && n > 1 && n <= i64(k_narrow)) return narrow_product_of(a, b, out);
  if (b.column_stride == 1 && n > 1) { // add rows of b: vectorises over columns
    std::fill_n(out, m * n, T(0));
    for (i64 i = 0; i < m; ++i) {
      T* row = out + i * n;
      for (i64 p = 0; p < k; ++p) {
        const T factor = a.data[i * a.row_stride + p * a.column_stride];
        const T* from = b.data + p * b.row_stride;
        for (i64 j = 0; j < n; ++j) row[j] += factor * from[j];
      }
    }
    return;
  }
  for (i64 i = 0; i < m; ++i) {
    for (i64 j = 0; j < n; ++j) {
      const T *x = a.data + i * a.row_stride, *y = b.data + j * b.column_stride;
      T total = 0;
      for (i64 p = 0; p < k; ++p) total += x[p * a.column_stride] * y[p * b.row_stride];
      out[i * n + j] = total;
    }
  }
}

// BLAS takes a matrix whose rows or columns are contiguous.
bool blas_layout(const matrix<double>& a, CBLAS_TRANSPOSE& order, i64& leading) {
  if (a.column_stride == 1 && a.row_stride >= std::max<i64>(1, a.columns)) {
    order = CblasNoTrans;
    leading = a.row_stride;
  } else if (a.row_stride == 1 && a.column_stride >= std::max<i64>(1, a.rows)) {
    order = CblasTrans;
    leading = a.column_stride;
  } else {
    return false;
  }
  return leading <= k_blas_limit;
}

// `row_stride`: of the result.
void large_product(const matrix<double>& a, const matrix<double>& b, double* out, i64 row_stride) {
  prepare_blas();
  const auto n = [](i64 x) { return static_cast<int>(x); };
  if (a.rows == 1 && b.columns == 1) {
    *out = cblas_ddot(n(a.columns), a.data, n(a.column_stride), b.data, n(b.row_stride));
    return;
  }
  CBLAS_TRANSPOSE order_a = CblasNoTrans, order_b = CblasNoTrans;
  i64 leading_a = 0, leading_b = 0;
  if (b.columns == 1 && blas_layout(a, order_a, leading_a)) {
    const bool plain = order_a == CblasNoTrans;
    cblas_dgemv(CblasRowMajor, order_a, n(plain ? a.rows : a.columns), n(plain ? a.columns : a.rows), 1.0, a.data,
                n(leading_a), b.data, n(b.row_stride), 0.0, out, 1);
    return;
  }
  if (a.rows == 1 && blas_layout(b, order_b, leading_b)) {
    const bool plain = order_b == CblasNoTrans;
    cblas_dgemv(CblasRowMajor, plain ? CblasTrans : CblasNoTrans, n(plain ? b.rows : b.columns),
                n(plain ? b.columns : b.rows), 1.0, b.data, n(leading_b), a.data, n(a.column_stride), 0.0, out, 1);
    return;
  }
  std::vector<double> copy_a, copy_b;
  const auto compact = [&](const matrix<double>& x, std::vector<double>& storage, CBLAS_TRANSPOSE& order,
                           i64& leading) {
    if (blas_layout(x, order, leading)) return x.data;
    storage.resize(static_cast<std::size_t>(x.rows * x.columns));
    for (i64 i = 0; i < x.rows; ++i)
      for (i64 j = 0; j < x.columns; ++j)
        storage[static_cast<std::size_t>(i * x.columns + j)] = x.data[i * x.row_stride + j * x.column_stride];
    order = CblasNoTrans;
    leading = x.columns;
    return static_cast<const double*>(storage.data());
  };
  const auto* x = compact(a, copy_a, order_a, leading_a);
  const auto* y = compact(b, copy_b, order_b, leading_b);
  cblas_dgemm(CblasRowMajor, order_a, order_b, n(a.rows), n(b.columns), n(a.columns), 1.0, x, n(leading_a), y,
              n(leading_b), 0.0, out, n(row_stride));
}

// In bands of rows or of columns, whichever there are more of.
void tiled_product(const matrix<double>& a, const matrix<double>& b, double* out, const run_services* services) {
  const bool by_rows = a.rows >= b.columns;
  const auto length = by_rows ? a.rows : b.columns, line_work = a.columns * (by_rows ? b.columns : a.rows);
  const auto wanted = std::min(length / std::max(k_tile_work / line_work, k_least_tile), k_most_tiles);
  if (wanted < 2) return large_product(a, b, out, b.columns);
  const auto tile = ((length - 1) / wanted / 64 + 1) * 64, tiles = (length - 1) / tile + 1; // the last one is smaller
  const auto compute = [&](i64 i) {
    const auto begin = i * tile, count = std::min(tile, length - begin);
    auto x = a, y = b;
    (by_rows ? x.rows : y.columns) = count;
    (by_rows ? x.data : y.data) += begin * (by_rows ? x.row_stride : y.column_stride);
    large_product(x, y, out + begin * (by_rows ? b.columns : 1), b.columns);
  };
  if (services && services->allows_tasks())
    for_loop(par, i64(0), tiles, compute);
  else
    for (i64 i = 0; i < tiles; ++i) compute(i);
}

template <class T>
void product(const matrix<T>& a, const matrix<T>& b, T* out, const run_services* services) {
  if constexpr (std::is_same_v<T, double>) {
    const bool fits = std::max({a.rows, a.columns, b.columns}) <= k_blas_limit;
    // BLAS counts a negative vector stride from the other end; our loops take it as it is.
    const bool forward = a.column_stride > 0 && b.row_stride > 0;
    if (fits && forward && a.rows * a.columns * b.columns > k_small_product) return tiled_product(a, b, out, services);
  }
  small_product(a, b, out);
}

[[noreturn]] void mismatch(const array& a, const array& b) {
  throw value_error("shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not fit for a product");
}

template <class T>
value multiply(const array& a, const array& b, const run_services* services) {
  const bool row = a.rank() == 1, column = b.rank() == 1;
  const auto &sa = a.shape(), &sb = b.shape(), &ta = a.strides(), &tb = b.strides();
  const matrix<T> x{a.data<T>(), row ? 1 : sa[0], row ? sa[0] : sa[1], row ? 0 : ta[0], row ? ta[0] : ta[1]};
  const matrix<T> y{b.data<T>(), sb[0], column ? 1 : sb[1], tb[0], column ? 0 : tb[1]};
  if (x.columns != y.rows) mismatch(a, b);
  if (row && column) {
    T result{};
    product(x, y, &result, services);
    return result;
  }
  const auto shape = row ? extents{y.columns} : column ? extents{x.rows} : extents{x.rows, y.columns};
  auto result = array::uninitialized(dtype_of<T>, shape);
  auto* out = static_cast<T*>(result.object()->data);
  if (x.columns == 0)
    std::fill_n(out, result.size(), T(0));
  else
    product(x, y, out, services);
  return result;
}

value multiply_any(const array& a, const array& b, const run_services* services) {
  if (a.type() == dtype::boolean && b.type() == dtype::boolean) { // NumPy's answer: does any pair of them agree
    const auto counts = multiply_any(a.cast(dtype::int64), b.cast(dtype::int64), services);
    return detail::from_array(counts.to_array().cast(dtype::boolean));
  }
  const auto type = std::max({a.type(), b.type(), dtype::int64});
  if (type == a.type() && type == b.type())
    return type == dtype::float64 ? multiply<double>(a, b, services) : multiply<i64>(a, b, services);
  return multiply_any(a.cast(type), b.cast(type), services);
}

array matrix_of_stack(const array& a, i64 i) {
  const auto at = a.shape()[0] == 1 ? 0 : i;
  extents shape = a.shape(), strides = a.strides();
  shape.erase(0);
  strides.erase(0);
  return a.view(at * a.strides()[0], shape, strides);
}

array multiply_stacks(array a, array b, const run_services* services) {
  if (a.rank() <= 2 && b.rank() <= 2) return multiply_any(a, b, services).to_array();
  const auto lift = [](array& x, std::size_t rank) {
    extents shape = x.shape(), strides = x.strides();
    while (shape.rank() < rank) {
      shape.insert(0, 1);
      strides.insert(0, 0);
    }
    x = x.view(0, shape, strides);
  };
  if (a.rank() < 2 || b.rank() < 2) mismatch(a, b);
  lift(a, b.rank());
  lift(b, a.rank());
  const auto count = std::max(a.shape()[0], b.shape()[0]);
  if ((a.shape()[0] != count && a.shape()[0] != 1) || (b.shape()[0] != count && b.shape()[0] != 1)) mismatch(a, b);
  std::vector<value> parts;
  for (i64 i = 0; i < count; ++i)
    parts.emplace_back(multiply_stacks(matrix_of_stack(a, i), matrix_of_stack(b, i), services));
  return value::list(std::move(parts)).to_array();
}

// Or vectors: as nearly always, and there is no need for copies of the values.
bool are_matrices(const value& a, const value& b) noexcept {
  return a.is_array() && b.is_array() && a.as_array().rank() - 1 < 2 && b.as_array().rank() - 1 < 2;
}

} // namespace

value dot(const value& a, const value& b, const run_services* services) {
  if (are_matrices(a, b)) return multiply_any(a.as_array(), b.as_array(), services);
  const auto x = a.to_array(), y = b.to_array();
  if (x.rank() > 2 || y.rank() > 2 || x.rank() == 0 || y.rank() == 0)
    throw value_error("expected vectors or matrices, found shapes " + to_string(x.shape()) + " and " +
                      to_string(y.shape()));
  return multiply_any(x, y, services);
}

value matmul(const value& a, const value& b, const run_services* services) {
  if (are_matrices(a, b)) return multiply_any(a.as_array(), b.as_array(), services);
  const auto x = a.to_array(), y = b.to_array();
  if (x.rank() == 0 || y.rank() == 0)
    throw value_error("a matrix product needs arrays, found shapes " + to_string(x.shape()) + " and " +
                      to_string(y.shape()));
  if (x.rank() <= 2 && y.rank() <= 2) return multiply_any(x, y, services);
  return multiply_stacks(x, y, services);
}

} // namespace treadle::tree
