// The points around one, nearest first.
#pragma once

#include "search/space.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace treadle::tune {

/// Walks through the points of a space by their distance from one of them, which comes first: the number of steps along
/// the dimensions. Ends after about a million points.
class outward {
 public:
  outward(const space& over, arm from) : m_space(over), m_from(from) {
    for (std::size_t d = over.dimensions().size(); d-- > 0;) {
      const std::uint32_t size = over.dimensions()[d].size, here = over.index(from, d);
      m_reach[d] = m_reach[d + 1] + std::max(here, size - 1 - here);
    }
  }

  /// Nothing, when all were given.
  std::optional<arm> next() {
    if (m_next == m_shell.size()) {
      if (m_given >= k_most || m_distance > m_reach[0]) return std::nullopt;
      m_shell.clear();
      m_next = 0;
      fill(0, m_distance++, m_from);
      m_given += m_shell.size();
    }
    return m_shell[m_next++];
  }
  bool gave_all() const noexcept { return m_next == m_shell.size() && m_distance > m_reach[0]; }

 private:
  static constexpr std::size_t k_most = std::size_t{1} << 20;

  /// All points from here on that are this many steps away along the dimensions from `d` on, of which there is one at
  /// least.
  void fill(std::size_t d, std::uint64_t steps, arm at) {
    if (d == m_space.dimensions().size()) {
      m_shell.push_back(at);
      return;
    }
    const std::uint64_t others = m_reach[d + 1], own = m_reach[d] - others;
    for (std::uint64_t here = steps > others ? steps - others : 0; here <= std::min(steps, own); ++here) {
      for (const std::int64_t sign : {-1, 1}) {
        arm to = at;
        if (m_given + m_shell.size() < k_most && m_space.move(to, d, sign * static_cast<std::int64_t>(here)))
          fill(d + 1, steps - here, to);
        if (here == 0) break;
      }
    }
  }

  space m_space;
  arm m_from;
  std::array<std::uint64_t, space::k_max_dimensions + 1> m_reach{}; // along the dimensions from each on, at most
  std::vector<arm> m_shell;                                         // all at one distance
  std::size_t m_next = 0, m_given = 0;
  std::uint64_t m_distance = 0;
};

} // namespace treadle::tune
