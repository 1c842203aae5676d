#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace cholesky {

/// How a square matrix is cut: tiles of `tile` rows and columns, and smaller ones at the end when that does not divide
/// n. A tile larger than n is one of n.
class tiling {
 public:
  /// Throws std::invalid_argument when n or tile is 0, or n is more than BLAS can count.
  tiling(std::size_t n, std::size_t tile);

  std::size_t n() const noexcept { return m_n; }
  std::size_t tile() const noexcept { return m_tile; }
  /// Tiles in a row or column.
  std::size_t count() const noexcept { return m_count; }
  std::size_t begin(std::size_t i) const noexcept { return i * m_tile; }
  std::size_t size(std::size_t i) const noexcept { return i + 1 < m_count ? m_tile : m_n - begin(i); }

 private:
  std::size_t m_n, m_tile, m_count;
};

/// Where a tile's elements are, one column after the other. A view: refers to memory of a tiled_matrix.
struct tile {
  double* data;
  std::size_t rows, columns;

  double& operator()(std::size_t row, std::size_t column) const noexcept { return data[column * rows + row]; }
};

/// The lower triangle of a symmetric or triangular matrix, in tiles that lie apart in memory. Tiles on the diagonal are
/// full squares, of which only the lower triangle means something.
class tiled_matrix {
 public:
  /// Not initialised. Throws std::bad_alloc.
  explicit tiled_matrix(const tiling& shape);
  tiled_matrix(const tiled_matrix& other);
  tiled_matrix(tiled_matrix&&) noexcept = default;
  /// The values of one of the same shape.
  tiled_matrix& operator=(const tiled_matrix& other) noexcept;

  const tiling& shape() const noexcept { return m_shape; }
  /// For i >= j. As views do, it lets everybody write.
  tile at(std::size_t i, std::size_t j) const noexcept {
    return {m_data.get() + m_offsets[j * m_shape.count() + i], m_shape.size(i), m_shape.size(j)};
  }

  /// element(row, column) for rows and columns of the whole matrix, row >= column.
  template <class Element>
  void fill(const Element& element) {
    for_each_element([&](double& value, std::size_t row, std::size_t column) { value = element(row, column); });
  }
  /// visit(value, row, column) for all with row >= column; the rest of the tiles on the diagonal becomes 0.
  template <class Visit>
  void for_each_element(const Visit& visit) {
    for (std::size_t j = 0; j < m_shape.count(); ++j) {
      for (std::size_t i = j; i < m_shape.count(); ++i) {
        const tile t = at(i, j);
        for (std::size_t c = 0; c < t.columns; ++c) {
          for (std::size_t r = 0; r < t.rows; ++r) {
            if (i == j && r < c)
              t(r, c) = 0;
            else
              visit(t(r, c), m_shape.begin(i) + r, m_shape.begin(j) + c);
          }
        }
      }
    }
  }

 private:
  struct release {
    void operator()(double* memory) const noexcept { std::free(memory); }
  };

  tiling m_shape;
  std::vector<std::size_t> m_offsets; // of tile (i, j) at j * count + i
  std::size_t m_doubles = 0;
  std::unique_ptr<double[], release> m_data;
};

} // namespace cholesky
