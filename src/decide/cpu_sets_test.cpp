#include "decide/cpu_sets.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace treadle::decide {
namespace {

using sets = std::vector<std::vector<unsigned>>;

TEST(cpu_sets, are_kept_and_disjoint) {
  const std::vector<unsigned> cpus{0, 1, 2, 3, 8, 9};
  const sets first = cpu_sets({cpus, {}}, std::vector<unsigned>{2, 3}, sets(2));
  EXPECT_EQ(first, (sets{{0, 1}, {2, 3, 8}}));
  EXPECT_EQ(cpu_sets({cpus, {}}, std::vector<unsigned>{3, 2}, first), (sets{{0, 1, 8}, {2, 3}}));
  EXPECT_EQ(cpu_sets({cpus, {}}, std::vector<unsigned>{0, 6}, first), (sets{{}, {0, 1, 2, 3, 8, 9}}));
  EXPECT_EQ(cpu_sets({{8, 9}, {}}, std::vector<unsigned>{1, 1}, first), (sets{{9}, {8}}));
  EXPECT_EQ(cpu_sets({}, std::vector<unsigned>{2}, sets(1)), sets(1));
}

TEST(cpu_sets, of_random_programs) {
  detail::xorshift random(3);
  for (int run = 0; run < 300; ++run) {
    std::vector<unsigned> cpus(1 + random.below(16));
    std::iota(cpus.begin(), cpus.end(), random.below(5));
    sets had(1 + random.below(5));
    for (int step = 0; step < 20; ++step) {
      std::vector<unsigned> wanted;
      for (std::size_t i = 0; i < had.size(); ++i) wanted.push_back(random.below(20));
      const sets now = cpu_sets({cpus, {}}, wanted, had);
      std::map<unsigned, unsigned> users;
      for (std::size_t i = 0; i < now.size(); ++i) {
        EXPECT_EQ(now[i].size(), std::min<std::size_t>(wanted[i], cpus.size()));
        EXPECT_TRUE(std::is_sorted(now[i].begin(), now[i].end()));
        for (const unsigned cpu : now[i]) ++users[cpu];
      }
      const bool are_enough = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0}) <= cpus.size();
      for (const auto& [cpu, n] : users) EXPECT_TRUE(n == 1 || !are_enough) << cpu;
      EXPECT_EQ(cpu_sets({cpus, {}}, wanted, now), now) << "nothing has changed";
      had = now;
    }
  }
}

/// Hardware threads of `domains` domains with `cores` cores of `threads` threads, numbered as Linux often does: first
/// the first threads of all cores.
cpus_and_distances machine(unsigned domains, unsigned cores, unsigned threads) {
  cpus_and_distances made;
  const unsigned all_cores = domains * cores;
  made.cpus.resize(all_cores * threads);
  std::iota(made.cpus.begin(), made.cpus.end(), 0U);
  for (const unsigned a : made.cpus)
    for (const unsigned b : made.cpus) {
      const unsigned core_a = a % all_cores, core_b = b % all_cores;
      made.distances.push_back(a == b ? 0 : core_a == core_b ? 1 : core_a / cores == core_b / cores ? 4 : 64);
    }
  return made;
}

TEST(cpu_sets, of_one_program_are_near_each_other_and_far_from_those_of_others) {
  const cpus_and_distances two = machine(2, 4, 2); // domain 0: 0-3 and 8-11; domain 1: 4-7 and 12-15
  const sets apart = cpu_sets(two, std::vector<unsigned>{4, 4}, sets(2));
  EXPECT_EQ(apart, (sets{{0, 1, 8, 9}, {4, 5, 12, 13}})) << "a domain each, whole cores";
  EXPECT_EQ(cpu_sets(two, std::vector<unsigned>{8, 8}, apart),
            (sets{{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}}));
  EXPECT_EQ(cpu_sets(two, std::vector<unsigned>{2, 4}, apart), (sets{{0, 8}, {4, 5, 12, 13}}))
      << "a whole core is kept";
  // More than a domain has: the rest is in the other one, as far from the other program as can be, and goes first.
  const sets grown = cpu_sets(two, std::vector<unsigned>{9, 2}, sets{apart[0], {4, 12}});
  EXPECT_EQ(grown[0].size(), 9U);
  EXPECT_EQ(std::count_if(grown[0].begin(), grown[0].end(), [](unsigned cpu) { return cpu % 8 >= 4; }), 1);
  EXPECT_EQ(cpu_sets(two, std::vector<unsigned>{8, 2}, grown)[0], (std::vector<unsigned>{0, 1, 2, 3, 8, 9, 10, 11}));
  // Four programs on four domains.
  EXPECT_EQ(cpu_sets(machine(4, 2, 1), std::vector<unsigned>{2, 2, 2, 2}, sets(4)),
            (sets{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

} // namespace
} // namespace treadle::decide
