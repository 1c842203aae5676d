#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treadle::decide {

/// Hardware threads by their numbers, and how far they are from each other: `distances[i * size + j]`, 0 for i = j,
/// in any unit. None: all are alike.
struct cpus_and_distances {
  std::vector<unsigned> cpus;
  std::vector<std::uint8_t> distances;

  unsigned between(std::size_t i, std::size_t j) const noexcept {
    return distances.empty() ? i != j : distances[i * cpus.size() + j];
  }
};

/// Hardware threads for programs that are kept to this many each. What each had it keeps as far as it may, the nearest
/// to each other first; what it gets is near that, and far from what others have, so that programs share caches and
/// memory with themselves. No two have the same one as long as there are enough; otherwise those that fewest have are
/// shared. Pure; O(cpus^2).
std::vector<std::vector<unsigned>> cpu_sets(const cpus_and_distances& all, std::span<const unsigned> wanted,
                                            std::span<const std::vector<unsigned>> had);

} // namespace treadle::decide
