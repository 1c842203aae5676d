#include "decide/boost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace treadle::decide {
namespace {

TEST(boost, constant_and_linear) {
  EXPECT_EQ(constant_boost(4, 3, 24), 7u);
  EXPECT_EQ(constant_boost(23, 3, 24), 24u);
  EXPECT_EQ(constant_boost(0, 3, 24), 0u);
  EXPECT_EQ(constant_boost(4, ~0u, 24), 24u);
  EXPECT_EQ(linear_boost(4, 1.3, 24), 6u);
  EXPECT_EQ(linear_boost(20, 1.3, 24), 24u);
  EXPECT_EQ(linear_boost(0, 1.3, 24), 0u);
  EXPECT_EQ(linear_boost(4, 0.5, 24), 4u);
  EXPECT_EQ(linear_boost(4, 1e300, 24), 24u);
}

TEST(boost, of_the_papers_example) { // three quarters of its threads are busy: 22 threads use 16 cores, 21 use 15.75
  core_use b;
  EXPECT_EQ(adaptive_boost(b, 16, 24), 16u); // nothing is known
  for (int i = 0; i < 10; ++i) {
    const unsigned n = adaptive_boost(b, 16, 24);
    b.observe(n, 0.75 * n);
  }
  EXPECT_EQ(adaptive_boost(b, 16, 24), 22u);
  EXPECT_EQ(adaptive_boost(b, 24, 24), 24u);
  EXPECT_EQ(adaptive_boost(b, 0, 24), 0u);
}

TEST(boost, a_program_that_uses_nothing_gets_all_its_threads_and_one_that_changes_is_followed) {
  core_use b;
  b.observe(4, 0);
  EXPECT_EQ(adaptive_boost(b, 4, 24), 24u);
  for (int i = 0; i < 20; ++i) {
    const unsigned n = adaptive_boost(b, 4, 24);
    b.observe(n, n);
  }
  EXPECT_LE(adaptive_boost(b, 4, 24), 24u);
  b.observe(4, 4);
  for (int i = 0; i < 60; ++i) b.observe(4, 4);
  EXPECT_EQ(adaptive_boost(b, 4, 24), 4u);
}

TEST(boost, observations_that_cannot_be_are_ignored) {
  core_use b;
  b.observe(0, 3);
  b.observe(4, -1);
  b.observe(4, std::nan(""));
  EXPECT_EQ(adaptive_boost(b, 4, 8), 4u);
}

} // namespace
} // namespace treadle::decide
