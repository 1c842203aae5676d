#include "decide/split_threshold.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace treadle::decide;

constexpr double k_infinity = std::numeric_limits<double>::infinity();

bool give(split_thresholds& t, std::vector<double> parts, std::optional<double> found = std::nullopt) {
  return t.update(parts, found);
}
double start_ns(const split_thresholds& t) { return t.ns(t.start()); }

TEST(split_thresholds, split_nothing_where_nobody_could_help) {
  split_thresholds alone({50, 1});
  give(alone, {1e6, 2e6});
  EXPECT_EQ(start_ns(alone), k_infinity);
  split_thresholds brief({50, 4});
  give(brief, {10, 50, 99});
  EXPECT_EQ(start_ns(brief), 475); // as before: what has not been seen may be worth it
  EXPECT_EQ(brief.choices(), 1u);
}

TEST(split_thresholds, begin_with_what_the_cost_suggests) {
  split_thresholds t({50, 2});
  EXPECT_EQ(start_ns(t), 475);
  EXPECT_TRUE(give(t, {200, 4000, 100'000}));
  EXPECT_EQ(start_ns(t), 2000); // splits what takes 4000, with some distance
  EXPECT_EQ(t.choices(), 4u);
}

TEST(split_thresholds, stay_as_long_as_they_divide_the_parts) {
  split_thresholds t({50, 2});
  std::vector<double> parts;
  for (double ns = 100; ns < 1e6; ns *= 1.1) parts.push_back(ns);
  EXPECT_TRUE(give(t, parts));
  for (const double change : {1.0, 1.15, 1 / 1.15 / 1.15}) { // parts at the ends of octaves move to others
    for (double& ns : parts) ns *= change;
    EXPECT_FALSE(give(t, parts));
  }
  for (double& ns : parts) ns *= 8;
  EXPECT_TRUE(give(t, parts));
}

TEST(split_thresholds, a_part_that_is_just_worth_it_is_no_news_when_it_is_just_not) {
  split_thresholds t({50, 2});
  EXPECT_TRUE(give(t, {98, 100'000}));
  EXPECT_FALSE(give(t, {102, 100'000}));
  EXPECT_FALSE(give(t, {98, 100'000}));
}

TEST(split_thresholds, begin_with_the_best_of_the_old_ones) {
  split_thresholds t({50, 2});
  EXPECT_TRUE(give(t, {300, 1000, 40'000, 1e9}, 20'000));
  EXPECT_EQ(start_ns(t), 20'000);
}

TEST(split_thresholds, what_is_larger_than_all_that_was_tried_is_not_judged_by_it) {
  split_thresholds t({50, 2});
  give(t, {5000});
  const double none_ns = t.ns(t.choices() - 1);
  EXPECT_EQ(none_ns, 10'000); // is found to be best
  give(t, {5000, 1e6}, none_ns);
  EXPECT_LE(start_ns(t), 1e6);
  EXPECT_GT(start_ns(t), 5000);
}

TEST(split_thresholds, a_start_that_was_not_tried_follows_the_parts) {
  split_thresholds t({50, 2});
  give(t, {100'000}); // cold
  EXPECT_EQ(start_ns(t), 50'000);
  give(t, {20'000});
  EXPECT_EQ(start_ns(t), 10'000);
}

} // namespace
