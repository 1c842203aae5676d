#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace treadle::check {

inline constexpr unsigned k_threads_max = 6;

/// What a thread knows, or what a store passes on to the one that acquires it.
struct view {
  std::array<std::uint32_t, k_threads_max> clock{}; // by thread: its operations up to this one happened before
  std::vector<std::uint32_t> seen;                  // by location: no store older than this one may be read any more

  std::uint32_t oldest(std::size_t location) const noexcept { return location < seen.size() ? seen[location] : 0; }
  void raise(std::size_t location, std::uint32_t store) {
    if (seen.size() <= location) seen.resize(location + 1);
    seen[location] = std::max(seen[location], store);
  }
  void join_seen(const view& other) {
    if (seen.size() < other.seen.size()) seen.resize(other.seen.size());
    for (std::size_t i = 0; i < other.seen.size(); ++i) seen[i] = std::max(seen[i], other.seen[i]);
  }
  void join(const view& other) {
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other.clock[i]);
    join_seen(other);
  }
};

} // namespace treadle::check
