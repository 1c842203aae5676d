#include "tree/kernels/matrix_product.hpp"

#include "base/dispatch.hpp"
#include "tree/kernels/blas.hpp"
#include "tree/kernels/diagonal_product.hpp"
#include "tree/nodes/primitive.hpp"
#include "tree/run/services.hpp"
#include "value/diagonal.hpp"
#include "value/objects.hpp"
#include "value/strided.hpp"

#include <treadle/algorithm/for_loop.hpp>

#include <algorithm>
#include <cstring>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
constexpr i64 k_tiny_product = 4 * 4 * 4;            // below which a choice of vector width costs more than it saves
constexpr i64 k_small_product = 16 * 16 * 16;        // multiply-adds below which BLAS costs more than it saves
constexpr i64 k_tile_work = i64(1) << 21;            // and those that are worth a tile, about 100 us
constexpr i64 k_least_tile = 512, k_most_tiles = 16; // rows or columns: BLAS packs the other matrix once per tile,
// so with 128 a product takes 10 % longer, with 512 1 %; between 512 and 1024 two halves take 2 %

// A matrix of any element layout; a vector is a matrix of one row or column.
template <class T>
struct matrix {
  const T* data;
  i64 rows, columns, row_stride, column_stride;
};

constexpr std::size_t k_narrow = 16;

// Where b has N contiguous columns: a row of the result stays in registers. The same sums in the same order as below.
template <std::size_t N, class T>
TREADLE_LOOP void narrow_product(const matrix<T>& a, const matrix<T>& b, T* out) {
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
TREADLE_LOOP void narrow_product_of(const matrix<T>& a, const matrix<T>& b, T* out) {
  if (b.columns == i64(N)) return narrow_product<N>(a, b, out);
  if constexpr (N < k_narrow) narrow_product_of<T, N + 1>(a, b, out);
}

template <class T>
TREADLE_LOOP void small_product_here(const matrix<T>& a, const matrix<T>& b, T* out) {
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

template <class T>
struct small_loops {
  TREADLE_LOOP static void run(matrix<T> a, matrix<T> b, T* out) { small_product_here(a, b, out); }
};

template <class T>
void small_product(const matrix<T>& a, const matrix<T>& b, T* out) {
  if (a.rows * a.columns * b.columns < k_tiny_product)
    small_product_here(a, b, out);
  else
    detail::run_wide<small_loops<T>>(a, b, out);
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
    *out = TREADLE_BLAS(cblas_ddot)(n(a.columns), a.data, n(a.column_stride), b.data, n(b.row_stride));
    return;
  }
  CBLAS_TRANSPOSE order_a = CblasNoTrans, order_b = CblasNoTrans;
  i64 leading_a = 0, leading_b = 0;
  if (b.columns == 1 && blas_layout(a, order_a, leading_a)) {
    const bool plain = order_a == CblasNoTrans;
    TREADLE_BLAS(cblas_dgemv)(CblasRowMajor, order_a, n(plain ? a.rows : a.columns), n(plain ? a.columns : a.rows), 1.0,
                              a.data, n(leading_a), b.data, n(b.row_stride), 0.0, out, 1);
    return;
  }
  if (a.rows == 1 && blas_layout(b, order_b, leading_b)) {
    const bool plain = order_b == CblasNoTrans;
    TREADLE_BLAS(cblas_dgemv)(CblasRowMajor, plain ? CblasTrans : CblasNoTrans, n(plain ? b.rows : b.columns),
                              n(plain ? b.columns : b.rows), 1.0, b.data, n(leading_b), a.data, n(a.column_stride), 0.0,
                              out, 1);
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
  TREADLE_BLAS(cblas_dgemm)(CblasRowMajor, order_a, order_b, n(a.rows), n(b.columns), n(a.columns), 1.0, x,
                            n(leading_a), y, n(leading_b), 0.0, out, n(row_stride));
}

// In bands of rows or of columns, whichever there are more of.
void tiled_product(const matrix<double>& a, const matrix<double>& b, double* out, const run_services* services) {
  const bool by_rows = a.rows >= b.columns;
  const auto length = by_rows ? a.rows : b.columns, line_work = a.columns * (by_rows ? b.columns : a.rows);
  const auto least = length < 2 * k_least_tile ? k_least_tile / 2 : k_least_tile;
  const auto wanted = std::min(length / std::max(k_tile_work / line_work, least), k_most_tiles);
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
  if (sa[row ? 0 : 1] != sb[0]) mismatch(a, b);
  if (detail::is_diagonal(a) || detail::is_diagonal(b))
    if (auto scaled = diagonal_product<T>(a, b)) return std::move(*scaled);
  const matrix<T> x{a.data<T>(), row ? 1 : sa[0], row ? sa[0] : sa[1], row ? 0 : ta[0], row ? ta[0] : ta[1]};
  const matrix<T> y{b.data<T>(), sb[0], column ? 1 : sb[1], tb[0], column ? 0 : tb[1]};
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

// Where the matrices of a stack are.
struct stack {
  extents batch, strides; // of the axes before the last two; stride 0: the same matrix again
  i64 row_stride, column_stride;
};

stack stack_of(const array& a, const extents& batch) {
  extents shape = a.shape(), strides = a.strides();
  const auto row_stride = strides[a.rank() - 2], column_stride = strides[a.rank() - 1];
  for (int i = 0; i < 2; ++i) {
    shape.erase(shape.rank() - 1);
    strides.erase(strides.rank() - 1);
  }
  return {batch, detail::broadcast_strides(shape, strides, batch), row_stride, column_stride};
}

i64 offset_of(const stack& s, i64 at) {
  i64 offset = 0;
  for (std::size_t axis = s.batch.rank(); axis-- > 0; at /= s.batch[axis])
    offset += at % s.batch[axis] * s.strides[axis];
  return offset;
}

// The rows of all matrices are rows of one matrix.
bool is_one_matrix(const stack& s, i64 rows) {
  i64 distance = rows * s.row_stride;
  for (std::size_t axis = s.batch.rank(); axis-- > 0; distance *= s.batch[axis])
    if (s.batch[axis] != 1 && s.strides[axis] != distance) return false;
  return true;
}

bool is_same_matrix(const stack& s) {
  for (std::size_t axis = 0; axis < s.batch.rank(); ++axis)
    if (s.batch[axis] != 1 && s.strides[axis] != 0) return false;
  return true;
}

template <class T>
array multiply_all(const array& a, const array& b, const extents& batch, const run_services* services) {
  const auto rows = a.shape()[a.rank() - 2], inner = a.shape()[a.rank() - 1], columns = b.shape()[b.rank() - 1];
  extents shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  auto result = array::uninitialized(dtype_of<T>, shape);
  auto* const out = static_cast<T*>(result.object()->data);
  const auto count = batch.product();
  if (result.size() == 0) return result;
  if (inner == 0) {
    std::fill_n(out, result.size(), T(0));
    return result;
  }
  const auto left = stack_of(a, batch), right = stack_of(b, batch);
  const auto *x = a.data<T>(), *y = b.data<T>();
  const matrix<T> first{x, rows, inner, left.row_stride, left.column_stride};
  const matrix<T> second{y, inner, columns, right.row_stride, right.column_stride};
  if (is_same_matrix(right) && is_one_matrix(left, rows)) {
    auto all = first;
    all.rows *= count;
    product(all, second, out, services);
    return result;
  }
  const auto compute = [&](i64 i) {
    auto p = first;
    auto q = second;
    p.data += offset_of(left, i);
    q.data += offset_of(right, i);
    product(p, q, out + i * rows * columns, services);
  };
  if (services && services->allows_tasks() && count * rows * inner * columns >= 2 * k_tile_work)
    for_loop(par, i64(0), count, compute);
  else
    for (i64 i = 0; i < count; ++i) compute(i);
  return result;
}

array multiply_stacks(const array& a, const array& b, const run_services* services) {
  const bool row = a.rank() == 1, column = b.rank() == 1; // a vector is a matrix of one row, or of one column
  if (row || column) {
    const auto x = row ? a.reshape({1, a.size()}) : a, y = column ? b.reshape({b.size(), 1}) : b;
    const auto result = multiply_stacks(x, y, services);
    extents shape = result.shape();
    shape.erase(row ? shape.rank() - 2 : shape.rank() - 1);
    return result.reshape(shape);
  }
  if (a.type() == dtype::boolean && b.type() == dtype::boolean) // as of two matrices
    return multiply_stacks(a.cast(dtype::int64), b.cast(dtype::int64), services).cast(dtype::boolean);
  const auto type = std::max({a.type(), b.type(), dtype::int64});
  if (type != a.type() || type != b.type()) return multiply_stacks(a.cast(type), b.cast(type), services);
  if (a.shape()[a.rank() - 1] != b.shape()[b.rank() - 2]) mismatch(a, b);
  const auto batch_of = [](const array& m) {
    extents axes = m.shape();
    axes.erase(axes.rank() - 1);
    axes.erase(axes.rank() - 1);
    return axes;
  };
  const auto left = batch_of(a), right = batch_of(b);
  for (std::size_t i = 1; i <= std::min(left.rank(), right.rank()); ++i) {
    const auto p = left[left.rank() - i], q = right[right.rank() - i];
    if (p != q && p != 1 && q != 1) mismatch(a, b);
  }
  const auto batch = detail::broadcast_shapes(left, right);
  return type == dtype::float64 ? multiply_all<double>(a, b, batch, services)
                                : multiply_all<i64>(a, b, batch, services);
}

// Over the last axis of a and the last but one of b, as one product of matrices.
value dot_over_axes(const array& a, const array& b, const run_services* services) {
  const auto inner = b.rank() == 1 ? 0 : b.rank() - 2;
  if (a.shape()[a.rank() - 1] != b.shape()[inner]) mismatch(a, b);
  std::vector<std::int64_t> order{static_cast<std::int64_t>(inner)};
  extents shape = a.shape();
  shape.erase(a.rank() - 1);
  for (std::size_t i = 0; i < b.rank(); ++i) {
    if (i == inner) continue;
    order.push_back(static_cast<std::int64_t>(i));
    shape.push_back(b.shape()[i]);
  }
  const auto length = b.shape()[inner];
  const auto rest = [](const array& x, std::size_t without) {
    extents others = x.shape();
    others.erase(without);
    return others.product();
  };
  const auto x = a.reshape({rest(a, a.rank() - 1), length});
  const auto y = b.transpose(order).reshape({length, rest(b, inner)});
  return detail::from_array(multiply_any(x, y, services).to_array().reshape(shape));
}

// Or vectors: as nearly always, and there is no need for copies of the values.
bool are_matrices(const value& a, const value& b) noexcept {
  return a.is_array() && b.is_array() && a.as_array().rank() - 1 < 2 && b.as_array().rank() - 1 < 2;
}

} // namespace

value dot(const value& a, const value& b, const run_services* services) {
  if (are_matrices(a, b)) return multiply_any(a.as_array(), b.as_array(), services);
  const auto x = a.to_array(), y = b.to_array();
  if (x.rank() == 0 || y.rank() == 0)
    throw value_error("expected vectors or matrices, found shapes " + to_string(x.shape()) + " and " +
                      to_string(y.shape()));
  if (x.rank() > 2 || y.rank() > 2) return dot_over_axes(x, y, services);
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
