#pragma once

#include <algorithm>
#include <cstddef>

namespace stencil {

/// A ring of points cut into partitions of at most `wanted` points (at least `unit`), whose sizes differ by at most one
/// `unit`. All are multiples of the unit but the last one, which takes what is left over.
class partitions {
 public:
  partitions(std::size_t points, std::size_t wanted, std::size_t unit = 1) noexcept : m_points(points), m_unit(unit) {
    const std::size_t units = std::max<std::size_t>(points / unit, 1);
    const std::size_t units_each = std::max<std::size_t>(wanted / unit, 1);
    m_count = units / units_each + (units % units_each != 0 ? 1 : 0);
    m_units_each = units / m_count;
    m_larger = units % m_count;
  }

  std::size_t count() const noexcept { return m_count; }
  std::size_t begin(std::size_t i) const noexcept {
    return i == m_count ? m_points : m_unit * (i * m_units_each + std::min(i, m_larger));
  }
  std::size_t end(std::size_t i) const noexcept { return begin(i + 1); }
  std::size_t size(std::size_t i) const noexcept { return end(i) - begin(i); }
  std::size_t smallest() const noexcept { return std::min(m_unit * m_units_each, m_points); }
  std::size_t largest() const noexcept { return std::max(size(0), size(m_count - 1)); }

  /// The partition that holds a point.
  std::size_t index_of(std::size_t point) const noexcept {
    const std::size_t unit = point / m_unit, in_larger = m_larger * (m_units_each + 1);
    return unit < in_larger ? unit / (m_units_each + 1)
                            : std::min(m_larger + (unit - in_larger) / m_units_each, m_count - 1);
  }

  /// Around the ring.
  std::size_t before(std::size_t i) const noexcept { return i == 0 ? m_count - 1 : i - 1; }
  std::size_t after(std::size_t i) const noexcept { return i + 1 == m_count ? 0 : i + 1; }

 private:
  std::size_t m_points;
  std::size_t m_unit;
  std::size_t m_count;
  std::size_t m_units_each;
  std::size_t m_larger; // how many partitions, the first ones, have one unit more
};

} // namespace stencil
