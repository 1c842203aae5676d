#include "matmul/kernel.hpp"

#include <cstdlib>
#include <vector>

namespace {

/// Eight numbers anywhere in memory, for operations on all of them.
using vector [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;

std::vector<double> times(const double* matrix, const std::vector<double>& v) {
  const std::size_t n = v.size();
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) result[i] += matrix[i * n + j] * v[j];
  }
  return result;
}

} // namespace

// Four rows by two vectors of the result stay in registers; compiled for several kinds of processors, chosen at start.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void
matmul_base(const double* a, const double* b, double* c, long n) {
  constexpr long k_rows = 4;
  constexpr long k_width = 8;
  for (long i = 0; i < matmul_tile; i += k_rows) {
    for (long j = 0; j < matmul_tile; j += 2 * k_width) {
      double* corner = c + i * n + j;
      vector sums[k_rows][2];
      for (long row = 0; row < k_rows; ++row) {
        for (long half = 0; half < 2; ++half) {
          sums[row][half] = *reinterpret_cast<vector*>(corner + row * n + half * k_width);
        }
      }
      for (long k = 0; k < matmul_tile; ++k) {
        const double* right = b + k * n + j;
        const vector first = *reinterpret_cast<const vector*>(right);
        const vector second = *reinterpret_cast<const vector*>(right + k_width);
        for (long row = 0; row < k_rows; ++row) {
          const double factor = a[(i + row) * n + k];
          sums[row][0] += factor * first;
          sums[row][1] += factor * second;
        }
      }
      for (long row = 0; row < k_rows; ++row) {
        for (long half = 0; half < 2; ++half) {
          *reinterpret_cast<vector*>(corner + row * n + half * k_width) = sums[row][half];
        }
      }
    }
  }
}

void matmul_take(long n, double* matrices[3]) {
  constexpr std::size_t k_page = 4096, k_offset = 21 * 64; // a third of a page, in lines
  const std::size_t bytes = static_cast<std::size_t>(n * n) * sizeof(double) + k_page;
  auto* const room = static_cast<char*>(std::aligned_alloc(k_page, 3 * bytes));
  if (!room) std::abort();
  for (std::size_t i = 0; i < 3; ++i) matrices[i] = reinterpret_cast<double*>(room + i * (bytes + k_offset));
}

void matmul_give(double* matrices[3]) { std::free(matrices[0]); }

void matmul_fill(double* matrix, long n, unsigned seed) {
  for (long i = 0; i < n * n; ++i) {
    seed = seed * 1'664'525U + 1'013'904'223U;
    matrix[i] = static_cast<double>(seed >> 29);
  }
}

bool matmul_check(const double* a, const double* b, const double* c, long n) {
  std::vector<double> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i * 7 % 11);
  return times(c, v) == times(a, times(b, v));
}
