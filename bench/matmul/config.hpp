#pragma once

#include "matmul/kernel.hpp"
#include "measure.hpp"

#include <algorithm>

/// Product of two dense matrices, cache-oblivious: the longest of the three extents is halved until a tile is left.
/// Rows and columns fork, the inner extent does not. An operation is a tile product.
namespace matmul_bench {

struct problem {
  const char* name;
  long n;
};
constexpr problem k_problems[] = {{"matmul_1024", 1024}, {"matmul_2048", 2048}};

/// c += a * b: m x k times k x n, in matrices of `stride` columns.
struct product {
  const double* a;
  const double* b;
  double* c;
  long m, n, k, stride;

  bool is_tile() const { return m == matmul_tile && n == matmul_tile && k == matmul_tile; }
  bool splits_inner() const { return k > m && k > n; }
  void multiply_tile() const { matmul_base(a, b, c, stride); }
  /// One half of the longest extent: 0 or 1.
  product half(long which) const {
    product p = *this;
    if (splits_inner()) {
      p.k /= 2;
      p.a += which * p.k;
      p.b += which * p.k * stride;
    } else if (m >= n) {
      p.m /= 2;
      p.a += which * p.m * stride;
      p.c += which * p.m * stride;
    } else {
      p.n /= 2;
      p.b += which * p.n;
      p.c += which * p.n;
    }
    return p;
  }
};

/// `multiply(product)` computes it.
template <class Multiply>
void report(Multiply multiply) {
  for (const auto& [name, n] : k_problems) {
    double* matrices[3];
    matmul_take(n, matrices);
    double *const a = matrices[0], *const b = matrices[1], *const c = matrices[2];
    matmul_fill(a, n, 1);
    matmul_fill(b, n, 2);
    const long tiles = n / matmul_tile;
    bench::report(
        name, tiles * tiles * tiles, [&] { std::fill_n(c, n * n, 0.0); },
        [&] { multiply(product{a, b, c, n, n, n, n}); }, [&] { return matmul_check(a, b, c, n); });
    matmul_give(matrices);
  }
}

} // namespace matmul_bench
