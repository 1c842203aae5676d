#include "decide/pool_sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace treadle::decide {
namespace {

TEST(pool_sizes, of_few_workers_are_all_numbers) {
  EXPECT_EQ(pool_sizes(2, 2).choices(), (std::vector<unsigned>{1}));
  EXPECT_EQ(pool_sizes(2, 5).choices(), (std::vector<unsigned>{1, 2, 3, 4}));
  EXPECT_EQ(pool_sizes(3, 5).choices(), (std::vector<unsigned>{1, 2, 3}));
}

TEST(pool_sizes, of_many_workers_are_dense_at_both_ends) {
  const pool_sizes of_knl(2, 288);
  const std::vector<unsigned>& choices = of_knl.choices();
  EXPECT_LT(choices.size(), 60u);
  for (const unsigned n : {1u, 2u, 15u, 32u, 64u, 96u, 192u, 224u, 256u, 272u, 287u})
    EXPECT_TRUE(std::binary_search(choices.begin(), choices.end(), n)) << n;
  EXPECT_EQ(choices[of_knl.closest(255)], 256u);
}

TEST(pool_sizes, leave_no_pool_without_a_worker) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const std::size_t pools = 2 + random() % 4;
    const auto workers = static_cast<unsigned>(pools + random() % 100);
    const pool_sizes of(pools, workers);
    std::vector<unsigned> wanted;
    for (std::size_t i = 0; i + 1 < pools; ++i)
      wanted.push_back(random() % 4 == 0 ? 0 : of.choices()[random() % of.choices().size()]);
    const std::vector<unsigned> sizes = of.sizes(wanted);
    ASSERT_EQ(sizes.size(), pools);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), 0u), workers);
    unsigned without = 0;
    for (std::size_t i = 0; i + 1 < pools; ++i) {
      EXPECT_EQ(sizes[i] == 0, wanted[i] == 0);
      EXPECT_LE(sizes[i], wanted[i]);
      without += sizes[i] == 0 ? 1u : 0u;
    }
    EXPECT_GE(sizes.back(), 1 + without); // which keeps one for each of these
    EXPECT_TRUE(std::is_sorted(of.choices().begin(), of.choices().end()));
  }
}

} // namespace
} // namespace treadle::decide
