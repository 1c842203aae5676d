#include "decide/efficiency_shares.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace treadle::decide {
namespace {

/// As often as needed: shares, and what the programs then use of them.
template <class Use>
core_shares settle(unsigned cores, const std::vector<core_claim>& claims, Use use, int rounds = 50) {
  std::vector<core_use> seen(claims.size());
  core_shares now;
  for (int round = 0; round < rounds; ++round) {
    now = efficiency_shares(cores, claims, seen, now, static_cast<std::uint64_t>(round));
    for (std::size_t i = 0; i < claims.size(); ++i) {
      seen[i].observe(now[i], use(i, now[i]));
      seen[i].doubt_more_than(now[i], use(i, now[i]));
    }
  }
  return now;
}

TEST(efficiency_shares, cores_go_where_they_are_used) {
  const std::vector<core_claim> claims(2, core_claim{.most = 16});
  // One scales, the other never uses more than three.
  const auto use = [](std::size_t i, unsigned n) { return i == 0 ? 1.0 * n : std::min(3.0, 1.0 * n); };
  const core_shares got = settle(16, claims, use);
  EXPECT_GE(got[0], 12u);
  EXPECT_GE(got[1], 3u);
  EXPECT_LE(got[0] + got[1], 16u);
}

TEST(efficiency_shares, cores_that_nobody_uses_are_left) {
  const std::vector<core_claim> claims(2, core_claim{.most = 16});
  const core_shares got = settle(16, claims, [](std::size_t, unsigned n) { return std::min(2.0, 1.0 * n); });
  EXPECT_LE(got[0] + got[1], 8u);
  EXPECT_GE(std::min(got[0], got[1]), 2u);
}

TEST(efficiency_shares, who_used_one_core_at_first_is_tried_with_more_later) {
  const std::vector<core_claim> claims(1, core_claim{.most = 16});
  int round = 0;
  const core_shares got =
      settle(16, claims, [&](std::size_t, unsigned n) { return ++round < 20 ? std::min(1.0, 1.0 * n) : 1.0 * n; });
  EXPECT_EQ(got[0], 16u);
}

TEST(efficiency_shares, programs_alike_get_about_the_same) {
  const std::vector<core_claim> claims(4, core_claim{.most = 16});
  const core_shares got = settle(16, claims, [](std::size_t, unsigned n) { return 0.9 * n / (1 + 0.02 * n); });
  for (const unsigned one : got) {
    EXPECT_GE(one, 2u);
    EXPECT_LE(one, 7u);
  }
}

TEST(efficiency_shares, random_programs) {
  detail::xorshift random(7);
  for (int round = 0; round < 2000; ++round) {
    const unsigned cores = 1 + random.below(32);
    std::vector<core_claim> claims(1 + random.below(8));
    std::vector<core_use> seen(claims.size());
    std::vector<unsigned> last(random.below(static_cast<unsigned>(claims.size()) + 1));
    for (core_claim& one : claims) one = {random.below(4), 1 + random.below(32), 0.25 * (1 + random.below(8))};
    for (core_use& one : seen)
      for (unsigned k = random.below(6); k > 0; --k) one.observe(random.below(33), random.below(33));
    for (unsigned& one : last) one = random.below(33);
    const core_shares got = efficiency_shares(cores, claims, seen, last, random.below(100));
    EXPECT_LE(std::accumulate(got.begin(), got.end(), 0u), cores);
    unsigned some = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      EXPECT_LE(got[i], claims[i].most);
      const unsigned needs = std::min({std::max(claims[i].least, 1u), claims[i].most, cores});
      EXPECT_TRUE(got[i] == 0 || got[i] >= needs);
      some += got[i];
    }
    EXPECT_GT(some, 0u);
  }
}

} // namespace
} // namespace treadle::decide
