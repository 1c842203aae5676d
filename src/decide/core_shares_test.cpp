#include "decide/core_shares.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace treadle::decide {
namespace {

using claims = std::vector<core_claim>;

unsigned sum(const core_shares& s) { return std::accumulate(s.begin(), s.end(), 0u); }

TEST(core_shares, of_the_paper) {
  // 24 hardware threads, 8 programs: four get four, four get two (section IV).
  EXPECT_EQ(even(24, claims(8), 0), (core_shares{4, 4, 4, 4, 2, 2, 2, 2}));
  EXPECT_EQ(even(24, claims(8), 0, 1), (core_shares{3, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(even(24, claims(5), 0, 1), (core_shares{5, 5, 5, 5, 4}));
  claims three(3);
  three[1].is_preferred = true;
  EXPECT_EQ(half_to_preferred(24, three, 0), (core_shares{6, 12, 6}));
  three[1].is_preferred = false;
  EXPECT_EQ(half_to_preferred(24, three, 0), (core_shares{8, 8, 8}));
  EXPECT_EQ(stack(24, three), (core_shares{0, 0, 24}));
  EXPECT_EQ(fixed(24, three, std::vector<unsigned>{20, 10, 1}), (core_shares{20, 4, 0}));
}

TEST(core_shares, nobody_asks) {
  EXPECT_TRUE(even(8, {}, 0).empty());
  EXPECT_TRUE(half_to_preferred(8, {}, 0).empty());
  EXPECT_TRUE(stack(8, {}).empty());
  EXPECT_TRUE(fixed(8, {}, {}).empty());
  EXPECT_TRUE(weighted(8, {}, 0).empty());
}

TEST(core_shares, weighted_gives_what_one_cannot_use_to_the_others) {
  EXPECT_EQ(weighted(8, claims{{.most = 1}, {}, {}}, 0), (core_shares{1, 4, 3}));
  EXPECT_EQ(weighted(9, claims{{.weight = 2}, {.weight = 1}}, 0), (core_shares{6, 3}));
  EXPECT_EQ(weighted(8, claims{{.least = 6}, {}, {}}, 0), (core_shares{6, 1, 1}));
  EXPECT_EQ(weighted(8, claims{{.least = 100}}, 0), (core_shares{8}));
  EXPECT_EQ(weighted(8, claims{{.most = 2}, {.most = 3}}, 0), (core_shares{2, 3}));
}

TEST(core_shares, more_programs_than_cores_take_turns) {
  const claims five(5);
  core_shares had(5);
  for (std::uint64_t turn = 0; turn < 5; ++turn) {
    const auto now = weighted(2, five, turn);
    EXPECT_EQ(sum(now), 2u);
    for (std::size_t i = 0; i < 5; ++i) had[i] += now[i];
  }
  EXPECT_EQ(had, (core_shares{2, 2, 2, 2, 2}));
  for (const unsigned by : {1u, 2u}) {
    had.assign(5, 0);
    for (std::uint64_t turn = 0; turn < 5; ++turn) {
      const auto now = even(3 * by, five, turn, by);
      for (std::size_t i = 0; i < 5; ++i) had[i] += now[i];
    }
    EXPECT_EQ(had, core_shares(5, 3 * by));
  }
}

RC_GTEST_PROP(core_shares, weighted_is_fair_for_any_claims, ()) {
  const auto cores = *rc::gen::inRange(1u, 65u);
  const auto some = *rc::gen::container<std::vector<std::tuple<unsigned, unsigned, unsigned>>>(
      rc::gen::tuple(rc::gen::inRange(0u, 20u), rc::gen::inRange(1u, 40u), rc::gen::inRange(1u, 9u)));
  claims all;
  for (const auto& [least, most, weight] : some)
    all.push_back({.least = std::min(least, most), .most = most, .weight = static_cast<double>(weight)});
  const auto turn = *rc::gen::inRange(0u, 100u);
  const core_shares given = weighted(cores, all, turn);
  RC_ASSERT(given.size() == all.size());
  RC_ASSERT(sum(given) <= cores);
  unsigned could_use = 0, needed = 0;
  for (const core_claim& c : all) {
    could_use += c.most;
    needed += std::min({std::max(c.least, 1u), c.most, cores});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    RC_ASSERT(given[i] <= all[i].most);
    RC_ASSERT(given[i] == 0 || given[i] >= std::min({all[i].least, all[i].most, cores}));
  }
  if (needed <= cores) { // nobody waits, nothing is left that somebody could use, and nobody is poorer than it must be
    RC_ASSERT(sum(given) == std::min(cores, could_use));
    for (std::size_t i = 0; i < all.size(); ++i) {
      RC_ASSERT(given[i] >= 1u);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (given[i] >= all[i].most || given[k] <= std::max(all[k].least, 1u)) continue;
        RC_ASSERT(given[k] * all[i].weight <= (given[i] + 1) * all[k].weight * (1 + 1e-12));
      }
    }
  }
  // A program that waits gets its turn.
  std::vector<bool> had(all.size());
  for (std::size_t t = 0; t < all.size(); ++t) {
    const core_shares later = weighted(cores, all, turn + t);
    for (std::size_t i = 0; i < all.size(); ++i) had[i] = had[i] || later[i] > 0;
  }
  RC_ASSERT(std::find(had.begin(), had.end(), false) == had.end());
}

RC_GTEST_PROP(core_shares, the_papers_give_out_no_more_than_there_is, ()) {
  const auto cores = *rc::gen::inRange(0u, 65u);
  const auto by = *rc::gen::inRange(1u, 4u);
  const auto turn = *rc::gen::inRange(0u, 100u);
  claims all;
  for (const auto& [most, preferred] : *rc::gen::container<std::vector<std::pair<unsigned, bool>>>(
           rc::gen::pair(rc::gen::inRange(0u, 40u), rc::gen::arbitrary<bool>())))
    all.push_back({.most = most, .is_preferred = preferred});
  for (const core_shares& given : {even(cores, all, turn, by), half_to_preferred(cores, all, turn, by),
                                   stack(cores, all), fixed(cores, all, std::vector<unsigned>(all.size(), 7))}) {
    RC_ASSERT(given.size() == all.size());
    RC_ASSERT(sum(given) <= cores);
    for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(given[i] <= all[i].most);
  }
}

} // namespace
} // namespace treadle::decide
