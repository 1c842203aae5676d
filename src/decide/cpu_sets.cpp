#include "decide/cpu_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace treadle::decide {

namespace {

/// A set of hardware threads, by their places in the list, and how far each of all is from it in sum.
class chosen {
 public:
  explicit chosen(const cpus_and_distances& all) : m_all(all), m_has(all.cpus.size()), m_far(all.cpus.size()) {}

  void add(std::size_t at) {
    m_has[at] = true;
    ++m_size;
    for (std::size_t i = 0; i < m_far.size(); ++i) m_far[i] += m_all.between(at, i);
  }
  void remove(std::size_t at) {
    m_has[at] = false;
    --m_size;
    for (std::size_t i = 0; i < m_far.size(); ++i) m_far[i] -= m_all.between(at, i);
  }
  bool has(std::size_t at) const { return m_has[at]; }
  std::size_t size() const { return m_size; }
  unsigned long far(std::size_t at) const { return m_far[at]; }
  /// The farthest from the rest of it.
  std::size_t outermost() const {
    std::size_t found = m_far.size();
    for (std::size_t i = 0; i < m_far.size(); ++i)
      if (m_has[i] && (found == m_far.size() || m_far[i] >= m_far[found])) found = i;
    return found;
  }

 private:
  const cpus_and_distances& m_all;
  std::vector<bool> m_has;
  std::vector<unsigned long> m_far;
  std::size_t m_size = 0;
};

} // namespace

std::vector<std::vector<unsigned>> cpu_sets(const cpus_and_distances& all, std::span<const unsigned> wanted,
                                            std::span<const std::vector<unsigned>> had) {
  const std::vector<unsigned>& cpus = all.cpus;
  std::vector<chosen> sets(wanted.size(), chosen(all));
  std::vector<unsigned> users(cpus.size()); // how many have it
  chosen used(all);                         // what somebody has
  const auto note_user = [&](std::size_t cpu) {
    if (users[cpu]++ == 0) used.add(cpu);
  };
  const bool are_enough = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0}) <= cpus.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    chosen& own = sets[i];
    for (const unsigned cpu : had[i]) {
      const auto at = static_cast<std::size_t>(std::find(cpus.begin(), cpus.end(), cpu) - cpus.begin());
      if (at != cpus.size() && !own.has(at) && (!are_enough || users[at] == 0)) own.add(at);
    }
    while (own.size() > wanted[i]) own.remove(own.outermost());
    for (std::size_t at = 0; at < cpus.size(); ++at)
      if (own.has(at)) note_user(at);
  }
  std::vector<std::vector<unsigned>> numbers(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    chosen& own = sets[i];
    const auto is_better = [&](std::size_t a, std::size_t b) {
      return std::tuple(users[a], own.far(a), used.far(b)) < std::tuple(users[b], own.far(b), used.far(a));
    };
    while (own.size() < std::min<std::size_t>(wanted[i], cpus.size())) {
      std::size_t best = cpus.size();
      for (std::size_t at = 0; at < cpus.size(); ++at)
        if (!own.has(at) && (best == cpus.size() || is_better(at, best))) best = at;
      own.add(best);
      note_user(best);
    }
    for (std::size_t at = 0; at < cpus.size(); ++at)
      if (own.has(at)) numbers[i].push_back(cpus[at]);
  }
  return numbers;
}

} // namespace treadle::decide
