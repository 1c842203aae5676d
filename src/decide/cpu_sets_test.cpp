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
  const sets first = cpu_sets(cpus, std::vector<unsigned>{2, 3}, sets(2));
  EXPECT_EQ(first, (sets{{0, 1}, {2, 3, 8}}));
  EXPECT_EQ(cpu_sets(cpus, std::vector<unsigned>{3, 2}, first), (sets{{0, 1, 8}, {2, 3}}));
  EXPECT_EQ(cpu_sets(cpus, std::vector<unsigned>{0, 6}, first), (sets{{}, {0, 1, 2, 3, 8, 9}}));
  EXPECT_EQ(cpu_sets(std::vector<unsigned>{8, 9}, std::vector<unsigned>{1, 1}, first), (sets{{9}, {8}}));
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
      const sets now = cpu_sets(cpus, wanted, had);
      std::map<unsigned, unsigned> users;
      for (std::size_t i = 0; i < now.size(); ++i) {
        EXPECT_EQ(now[i].size(), std::min<std::size_t>(wanted[i], cpus.size()));
        EXPECT_TRUE(std::is_sorted(now[i].begin(), now[i].end()));
        for (const unsigned cpu : now[i]) ++users[cpu];
      }
      const bool are_enough = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0}) <= cpus.size();
      for (const auto& [cpu, n] : users) EXPECT_TRUE(n == 1 || !are_enough) << cpu;
      EXPECT_EQ(cpu_sets(cpus, wanted, now), now) << "nothing has changed";
      had = now;
    }
  }
}

} // namespace
} // namespace treadle::decide
