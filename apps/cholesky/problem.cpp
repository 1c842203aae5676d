#include "cholesky/problem.hpp"

#include "cholesky/blas.hpp"
#include "cholesky/kernels.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace cholesky {

namespace {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The square of the norm of what a tile adds to a symmetric matrix.
double squares(const tile& t, bool on_diagonal) noexcept {
  double sum = 0;
  for (std::size_t c = 0; c < t.columns; ++c) {
    if (on_diagonal) sum += t(c, c) * t(c, c);
    for (std::size_t r = on_diagonal ? c + 1 : 0; r < t.rows; ++r) sum += 2 * t(r, c) * t(r, c);
  }
  return sum;
}

double squares(const tiled_matrix& a) noexcept {
  double sum = 0;
  for (std::size_t j = 0; j < a.shape().count(); ++j) {
    for (std::size_t i = j; i < a.shape().count(); ++i) sum += squares(a.at(i, j), i == j);
  }
  return sum;
}

/// work := a(i, j) - (l l^T)(i, j).
void subtract_product(const tiled_matrix& a, const tiled_matrix& l, std::size_t i, std::size_t j, const tile& work,
                      const tile& product) {
  const tile of_a = a.at(i, j), of_l = l.at(i, j), diagonal = l.at(j, j);
  for (std::size_t c = 0; c < work.columns; ++c) {
    for (std::size_t r = 0; r < work.rows; ++r) {
      work(r, c) = of_a(r, c);
      product(r, c) = i == j && r < c ? 0 : of_l(r, c);
    }
  }
  for (std::size_t k = 0; k < j; ++k) gemm(work, l.at(i, k), l.at(j, k));
  CHOLESKY_BLAS(cblas_dtrmm)
  (CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, static_cast<int>(work.rows),
   static_cast<int>(work.columns), 1, diagonal.data, static_cast<int>(diagonal.rows), product.data,
   static_cast<int>(product.rows));
  for (std::size_t c = 0; c < work.columns; ++c) {
    for (std::size_t r = 0; r < work.rows; ++r) work(r, c) -= product(r, c);
  }
}

/// visit(value, row, column) for the lower triangle.
template <class Visit>
void for_each(const tiled_matrix& a, const Visit& visit) {
  const tiling& shape = a.shape();
  for (std::size_t j = 0; j < shape.count(); ++j) {
    for (std::size_t i = j; i < shape.count(); ++i) {
      const tile t = a.at(i, j);
      for (std::size_t c = 0; c < t.columns; ++c) {
        for (std::size_t r = i == j ? c : 0; r < t.rows; ++r) visit(t(r, c), shape.begin(i) + r, shape.begin(j) + c);
      }
    }
  }
}

} // namespace

double operations(double n) noexcept { return n * (n * (n / 3 + 0.5) + 1.0 / 6); }
double tasks(double tiles) noexcept { return tiles * (tiles + 1) * (tiles + 2) / 6; }

double random_element(std::uint64_t seed, std::size_t n, std::size_t row, std::size_t column) noexcept {
  if (row < column) std::swap(row, column);
  const std::uint64_t bits = mix(mix(seed + 0x9e3779b97f4a7c15U * (row + 1)) + column);
  const double value = static_cast<double>(bits >> 11U) * 0x1p-53 - 0.5;
  return row == column ? value + static_cast<double>(n) : value;
}

tiled_matrix random_matrix(const tiling& shape, std::uint64_t seed) {
  tiled_matrix a(shape);
  a.fill([&](std::size_t row, std::size_t column) { return random_element(seed, shape.n(), row, column); });
  return a;
}

double residual(const tiled_matrix& a, const tiled_matrix& l) {
  const tiling& shape = a.shape();
  std::vector<double> work(shape.tile() * shape.tile()), product(work.size());
  double sum = 0;
  for (std::size_t j = 0; j < shape.count(); ++j) {
    for (std::size_t i = j; i < shape.count(); ++i) {
      const tile rest{work.data(), shape.size(i), shape.size(j)};
      subtract_product(a, l, i, j, rest, {product.data(), rest.rows, rest.columns});
      sum += squares(rest, i == j);
    }
  }
  return std::sqrt(sum / squares(a));
}

double residual_of_vector(const tiled_matrix& a, const tiled_matrix& l) {
  const std::size_t n = a.shape().n();
  std::vector<double> x(n), rest(n), transposed(n);
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = random_element(~std::uint64_t{0}, 0, i, i);
    norm += x[i] * x[i];
  }
  for_each(a, [&](double value, std::size_t row, std::size_t column) {
    rest[row] += value * x[column];
    if (row != column) rest[column] += value * x[row];
  });
  for_each(l, [&](double value, std::size_t row, std::size_t column) { transposed[column] += value * x[row]; });
  for_each(l, [&](double value, std::size_t row, std::size_t column) { rest[row] -= value * transposed[column]; });
  double sum = 0;
  for (const double value : rest) sum += value * value;
  return std::sqrt(sum / (norm * squares(a)));
}

double residual_limit(std::size_t n) noexcept {
  return 10 * static_cast<double>(n + 10) * std::numeric_limits<double>::epsilon();
}

} // namespace cholesky
