#pragma once

#include <cstddef>

namespace distributed_cholesky {

/// Which locality has which tile: they stand in a grid of rows and columns, as square as their number allows, over
/// which tiles are dealt out in both directions again and again. So each has tiles everywhere in what is left of the
/// matrix, and a tile is needed by one row and one column of localities only (ScaLAPACK's distribution).
class block_cyclic {
 public:
  explicit block_cyclic(std::size_t localities) noexcept {
    for (std::size_t rows = 1; rows * rows <= localities; ++rows)
      if (localities % rows == 0) m_rows = rows;
    m_columns = localities / m_rows;
  }
  std::size_t rows() const noexcept { return m_rows; }
  std::size_t columns() const noexcept { return m_columns; }
  unsigned owner(std::size_t i, std::size_t j) const noexcept {
    return static_cast<unsigned>(i % m_rows * m_columns + j % m_columns);
  }

 private:
  std::size_t m_rows = 1, m_columns = 1;
};

} // namespace distributed_cholesky
