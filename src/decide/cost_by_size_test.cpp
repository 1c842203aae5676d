#include "decide/cost_by_size.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using treadle::decide::cost_by_size;

TEST(cost_by_size, finds_both_parts_through_noise) {
  std::mt19937 random{1};
  for (const double a : {0.0, 100.0, 1e6}) {
    for (const double b : {0.0, 0.5, 20.0}) {
      if (a + b == 0) continue;
      cost_by_size cost;
      const auto true_at = [&](double size) { return a + b * size; };
      for (int i = 0; i < 400; ++i) {
        const double size = std::exp(std::uniform_real_distribution<>(2, 14)(random));
        cost.add(size, true_at(size) * std::exp(std::normal_distribution<>(0, 0.05)(random)));
      }
      for (const double size : {10.0, 1e3, 1e6})
        EXPECT_NEAR(cost.at(size) / true_at(size), 1, 0.15) << a << " + " << b << " * " << size;
    }
  }
}

TEST(cost_by_size, small_inputs_do_not_hide_large_ones) {
  cost_by_size cost;
  for (int i = 0; i < 10; ++i) {
    cost.add(1e6, 1e6);
    for (int j = 0; j < 20; ++j) cost.add(10, 500); // mostly what a call costs
  }
  EXPECT_NEAR(cost.at(1e6), 1e6, 1e5);
  EXPECT_NEAR(cost.at(10), 500, 50);
}

TEST(cost_by_size, one_size_is_known) {
  cost_by_size cost;
  EXPECT_FALSE(cost.is_known());
  for (int i = 0; i < 5; ++i) cost.add(100, 700);
  EXPECT_TRUE(cost.is_known());
  EXPECT_NEAR(cost.at(100), 700, 1e-6);
  EXPECT_NEAR(cost.at(1000), 7000, 1e-3);
}

TEST(cost_by_size, without_a_size_it_is_a_mean) {
  cost_by_size cost;
  for (int i = 0; i < 5; ++i) cost.add(0, 700);
  EXPECT_NEAR(cost.at(0), 700, 1e-6);
  EXPECT_NEAR(cost.at(1e9), 700, 1e-6);
}

TEST(cost_by_size, sizes_that_do_not_matter_change_nothing) {
  cost_by_size cost;
  for (int i = 1; i < 200; ++i) cost.add(1e9 / i, 1000 + i); // dearer where it is smaller
  EXPECT_NEAR(cost.at(1), 1100, 120);
  EXPECT_NEAR(cost.at(1e9), 1100, 120);
}

TEST(cost_by_size, an_interrupted_evaluation_counts_little) {
  cost_by_size cost;
  for (int i = 0; i < 20; ++i) cost.add(100 * (1 + i % 3), 100.0 * (1 + i % 3));
  cost.add(100, 1e6);
  EXPECT_NEAR(cost.at(200), 200, 20);
}

TEST(cost_by_size, follows_a_change) {
  cost_by_size cost;
  for (int i = 0; i < 1000; ++i) cost.add(1 + i % 7, 50.0 * (1 + i % 7));
  for (int i = 0; i < 300; ++i) cost.add(1 + i % 7, 500.0 * (1 + i % 7));
  EXPECT_NEAR(cost.at(4), 2000, 400);
}

} // namespace
