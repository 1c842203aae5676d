#include "decide/cpu_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace treadle::decide {

std::vector<std::vector<unsigned>> cpu_sets(std::span<const unsigned> cpus, std::span<const unsigned> wanted,
                                            std::span<const std::vector<unsigned>> had) {
  std::vector<std::vector<unsigned>> sets(wanted.size());
  std::vector<unsigned> users(cpus.size()); // how many have it
  const bool are_enough = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0}) <= cpus.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const unsigned cpu : had[i]) {
      const auto at = static_cast<std::size_t>(std::find(cpus.begin(), cpus.end(), cpu) - cpus.begin());
      if (sets[i].size() == wanted[i] || at == cpus.size() || (are_enough && users[at] != 0)) continue;
      ++users[at];
      sets[i].push_back(cpu);
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t most = std::min<std::size_t>(wanted[i], cpus.size());
    while (sets[i].size() < most) {
      // The nearest behind its last one, of those that fewest have and it has not.
      const auto last = sets[i].empty() ? cpus.begin() : std::find(cpus.begin(), cpus.end(), sets[i].back());
      const auto from = static_cast<std::size_t>(last - cpus.begin());
      std::size_t best = cpus.size();
      for (std::size_t k = 0; k < cpus.size(); ++k) {
        const std::size_t at = (from + k) % cpus.size();
        if (std::find(sets[i].begin(), sets[i].end(), cpus[at]) != sets[i].end()) continue;
        if (best == cpus.size() || users[at] < users[best]) best = at;
      }
      ++users[best];
      sets[i].push_back(cpus[best]);
    }
    std::sort(sets[i].begin(), sets[i].end());
  }
  return sets;
}

} // namespace treadle::decide
