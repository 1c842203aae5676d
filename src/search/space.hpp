#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace treadle::tune {

/// One tunable value as a search sees it: `size` choices. Ordered ones are expected to cost alike when they lie
/// together.
struct dimension {
  std::uint32_t size = 1;
  bool ordered = true;
};

/// A point of a space, as a number below space::size().
using arm = std::uint64_t;

/// All combinations of some values.
class space {
 public:
  static constexpr std::size_t k_max_dimensions = 8;

  /// Throws std::invalid_argument when there is no point in it, or too many.
  explicit space(std::vector<dimension> dimensions) : m_dimensions(std::move(dimensions)) {
    if (m_dimensions.empty() || m_dimensions.size() > k_max_dimensions)
      throw std::invalid_argument("a search needs 1 to " + std::to_string(k_max_dimensions) + " dimensions, got " +
                                  std::to_string(m_dimensions.size()));
    for (const dimension& d : m_dimensions) {
      if (d.size == 0) throw std::invalid_argument("a search over no values");
      if (m_size > k_max_size / d.size) throw std::invalid_argument("a search over more than 2^48 points");
      m_size *= d.size;
    }
  }

  arm size() const noexcept { return m_size; }
  std::span<const dimension> dimensions() const noexcept { return m_dimensions; }

  std::uint32_t index(arm at, std::size_t d) const noexcept {
    for (std::size_t i = 0; i < d; ++i) at /= m_dimensions[i].size;
    return static_cast<std::uint32_t>(at % m_dimensions[d].size);
  }
  /// The point with these indices, one for each dimension.
  template <class Indices>
  arm point(const Indices& indices) const noexcept {
    arm at = 0;
    for (std::size_t i = m_dimensions.size(); i-- > 0;) at = at * m_dimensions[i].size + indices[i];
    return at;
  }
  /// Goes `steps` along one dimension; false, and nowhere, when that leaves the space.
  bool move(arm& at, std::size_t d, std::int64_t steps) const noexcept {
    const std::int64_t to = index(at, d) + steps;
    if (to < 0 || to >= m_dimensions[d].size) return false;
    arm stride = 1;
    for (std::size_t i = 0; i < d; ++i) stride *= m_dimensions[i].size;
    at += static_cast<arm>(steps) * stride; // wraps around for negative steps, as intended
    return true;
  }

 private:
  static constexpr arm k_max_size = arm{1} << 48;

  std::vector<dimension> m_dimensions;
  arm m_size = 1;
};

} // namespace treadle::tune
