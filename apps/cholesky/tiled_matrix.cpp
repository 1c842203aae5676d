#include "cholesky/tiled_matrix.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

namespace cholesky {

namespace {
constexpr std::size_t k_line = 64; // bytes; no two tiles share a cache line
}

tiling::tiling(std::size_t n, std::size_t tile) : m_n(n), m_tile(std::min(n, tile)), m_count(0) {
  if (n == 0) throw std::invalid_argument("a matrix needs at least one row, not 0");
  if (tile == 0) throw std::invalid_argument("a tile needs at least one row, not 0");
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::invalid_argument("a matrix of " + std::to_string(n) + " rows is more than BLAS can count");
  m_count = (n + m_tile - 1) / m_tile;
}

tiled_matrix::tiled_matrix(const tiling& shape) : m_shape(shape), m_offsets(shape.count() * shape.count()) {
  constexpr std::size_t k_doubles_per_line = k_line / sizeof(double);
  for (std::size_t j = 0; j < shape.count(); ++j) {
    for (std::size_t i = j; i < shape.count(); ++i) {
      m_offsets[j * shape.count() + i] = m_doubles;
      const std::size_t size = shape.size(i) * shape.size(j);
      m_doubles += (size + k_doubles_per_line - 1) / k_doubles_per_line * k_doubles_per_line;
    }
  }
  m_data.reset(static_cast<double*>(std::aligned_alloc(k_line, m_doubles * sizeof(double))));
  if (!m_data) throw std::bad_alloc();
}

tiled_matrix::tiled_matrix(const tiled_matrix& other) : tiled_matrix(other.m_shape) { *this = other; }

tiled_matrix& tiled_matrix::operator=(const tiled_matrix& other) noexcept {
  std::copy_n(other.m_data.get(), m_doubles, m_data.get());
  return *this;
}

} // namespace cholesky
