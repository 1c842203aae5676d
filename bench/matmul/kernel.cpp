#include "matmul/kernel.hpp"

#include <vector>

namespace {

std::vector<double> times(const double* matrix, const std::vector<double>& v) {
  const std::size_t n = v.size();
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) result[i] += matrix[i * n + j] * v[j];
  }
  return result;
}

} // namespace

__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void
matmul_base(const double* a, const double* b, double* c, long n) {
  for (long i = 0; i < matmul_tile; ++i) {
    double row[matmul_tile];
    for (long j = 0; j < matmul_tile; ++j) row[j] = c[i * n + j];
    for (long k = 0; k < matmul_tile; ++k) {
      const double factor = a[i * n + k];
      for (long j = 0; j < matmul_tile; ++j) row[j] += factor * b[k * n + j];
    }
    for (long j = 0; j < matmul_tile; ++j) c[i * n + j] = row[j];
  }
}

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
