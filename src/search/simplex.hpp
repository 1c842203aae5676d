// What the two simplex searches share: a space as a box of fractions. Unordered dimensions are taken as they come.
#pragma once

#include "search/outward.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace treadle::tune {

/// A point of the unit box; the index i of n choices is (i + 1/2) / n.
using fractions = std::array<double, space::k_max_dimensions>;

struct vertex {
  fractions at{};
  double x = 0;
};

inline fractions to_fractions(const space& over, arm at) noexcept {
  fractions f{};
  for (std::size_t d = 0; d < over.dimensions().size(); ++d)
    f[d] = (over.index(at, d) + 0.5) / over.dimensions()[d].size;
  return f;
}

inline arm to_arm(const space& over, const fractions& f) noexcept {
  std::array<std::uint32_t, space::k_max_dimensions> indices{};
  for (std::size_t d = 0; d < over.dimensions().size(); ++d) {
    const double size = over.dimensions()[d].size;
    indices[d] = static_cast<std::uint32_t>(std::clamp(std::floor(f[d] * size), 0.0, size - 1));
  }
  return over.point(indices);
}

/// a + factor (b - a)
inline fractions along(const fractions& a, const fractions& b, double factor) noexcept {
  fractions result{};
  for (std::size_t d = 0; d < result.size(); ++d) result[d] = a[d] + factor * (b[d] - a[d]);
  return result;
}

/// Where a vertex goes when its point is refused: to the nearest that is not. Only this many do that; the others count
/// as infinitely bad, without which a simplex might never become small.
class detours {
 public:
  /// False: the vertex counts as infinitely bad.
  bool move(const space& over, vertex& v) {
    if (!m_around) {
      if (m_made == k_most) return false;
      ++m_made;
      m_around.emplace(over, to_arm(over, v.at));
      m_around->next(); // the refused point itself
    }
    const auto to = m_around->next();
    if (to) v.at = to_fractions(over, *to);
    return to.has_value();
  }
  void end() { m_around.reset(); } // the vertex is measured

 private:
  static constexpr unsigned k_most = 100;

  std::optional<outward> m_around;
  unsigned m_made = 0;
};

} // namespace treadle::tune
