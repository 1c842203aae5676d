#include "policy/split_threshold.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace treadle::policies;

constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// Parts of all lengths from 100 ns to a millisecond.
std::vector<double> parts_of_all_lengths(std::size_t count) {
  treadle::detail::xorshift random(3);
  std::vector<double> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back(100 * std::pow(10, random.below(4000) * 1e-3));
  return parts;
}

void give(split_threshold& t, std::vector<double> parts) { t.parts(parts); }

/// A loop whose parts gain half of their time when they are split, and lose what a task really costs.
double period_of(const std::vector<double>& parts, double threshold_ns, double task_ns) {
  double sum = 0;
  for (const double ns : parts) sum += ns >= threshold_ns ? ns / 2 + task_ns : ns;
  return sum;
}

struct result {
  double excess;    // over the best threshold, in the end
  double run;       // the same for the whole run
  unsigned settled; // windows until it stayed within 2 %
};
result run(split_threshold& t, std::vector<double> parts, double task_ns, unsigned windows) {
  double best = k_infinity;
  for (double threshold = 64; threshold < 4e6; threshold *= 2)
    best = std::min(best, period_of(parts, threshold, task_ns));
  best = std::min(best, period_of(parts, k_infinity, task_ns));
  treadle::detail::xorshift random(7);
  t.parts(parts);
  result r{0, 0, 0};
  for (unsigned i = 0; i < windows; ++i) {
    const double ns = period_of(parts, t.ns(), task_ns);
    r.run += ns / best / windows;
    r.excess = ns / best - 1;
    if (i < windows / 2 && r.excess > 0.02) r.settled = i;
    if (t.is_settling()) t.period(0.1, 0.1 * ns);
    t.period(1, ns * (1 + 0.02 * (random.below(1000) * 0.002 - 1)));
  }
  r.run -= 1;
  return r;
}

TEST(split_threshold, splits_nothing_where_nobody_could_help) {
  split_threshold t({50, 1});
  give(t, {1e6, 2e6});
  EXPECT_EQ(t.ns(), k_infinity);
  EXPECT_FALSE(t.tries());
  split_threshold brief({50, 4});
  give(brief, {10, 50, 99});
  EXPECT_EQ(brief.ns(), 475); // as before: what has not been seen may be worth it
  EXPECT_FALSE(brief.tries());
}

TEST(split_threshold, begins_with_what_the_cost_suggests) {
  split_threshold t({50, 2});
  EXPECT_EQ(t.ns(), 475);
  give(t, {200, 4000, 100'000});
  EXPECT_EQ(t.ns(), 2000); // splits what takes 4000, with some distance
  EXPECT_TRUE(t.tries());
}

TEST(split_threshold, thousands_of_parts_settle_in_windows_that_grow_with_the_range_alone) {
  for (const std::size_t count : {64u, 512u, 4096u, 32'768u}) {
    const auto parts = parts_of_all_lengths(count);
    for (const double task_ns : {50.0, 2000.0, 30'000.0}) { // as assumed, and much worse
      split_threshold t({50, 2});
      const result r = run(t, parts, task_ns, 4000);
      EXPECT_LT(r.excess, 0.03) << count << " parts, " << task_ns;
      EXPECT_LT(r.settled, 2000u) << count << " parts, " << task_ns;
      EXPECT_LT(t.windows(), 4001u);
    }
  }
}

TEST(split_threshold, trying_costs_little) {
  split_threshold t({50, 2});
  EXPECT_LT(run(t, parts_of_all_lengths(1000), 50, 4000).run, 0.01);
}

TEST(split_threshold, goes_on_where_the_same_choices_are_left) {
  split_threshold t({50, 2});
  auto parts = parts_of_all_lengths(100);
  run(t, parts, 50, 100);
  const auto windows = t.windows();
  for (const double change : {1.15, 1 / 1.15 / 1.15}) { // parts at the ends of octaves move to others
    for (double& ns : parts) ns *= change;
    t.parts(parts);
    EXPECT_EQ(t.windows(), windows);
  }
  t.use({50, 2});
  EXPECT_EQ(t.windows(), windows);
  t.use({50, 4});
  EXPECT_EQ(t.windows(), 0u);
}

TEST(split_threshold, a_part_that_is_just_worth_it_is_no_news_when_it_is_just_not) {
  split_threshold t({50, 2});
  for (const bool more : {false, true}) {
    give(t, {more ? 102.0 : 98.0, 100'000});
    for (int i = 0; i <= 10; ++i) t.period(1, 1e6);
    EXPECT_EQ(t.windows(), more ? 21u : 10u) << "the first one lets what was begun settle";
  }
}

TEST(split_threshold, other_choices_begin_with_the_best_of_the_old) {
  split_threshold t({50, 2});
  const auto parts = parts_of_all_lengths(1000);
  run(t, parts, 30'000, 4000);
  const double best = t.ns();
  EXPECT_GT(best, 8192);
  give(t, {300, 1000, 2 * best, 1e9});
  EXPECT_EQ(t.windows(), 0u);
  EXPECT_EQ(t.ns(), best);
}

TEST(split_threshold, what_is_larger_than_all_that_was_tried_is_not_judged_by_it) {
  split_threshold t({50, 2});
  give(t, {});
  EXPECT_EQ(t.ns(), 475);
  give(t, {5000});
  for (int i = 0; i < 4000; ++i) t.period(1, t.ns() > 5000 ? 1e6 : 1.5e6);
  t.settle();
  EXPECT_EQ(t.ns(), 10'000); // not worth it
  give(t, {5000, 1e6});
  EXPECT_LE(t.ns(), 1e6);
  EXPECT_GT(t.ns(), 5000);
}

TEST(split_threshold, settles_for_the_best_while_something_else_is_done) {
  split_threshold t({50, 2});
  give(t, {5000});
  const double begin = t.ns();
  std::uint64_t tried = 0;
  for (int i = 0; i < 1000; ++i) {
    t.period(1, 1e6);
    const auto windows = t.windows();
    if (t.ns() == begin) continue;
    ++tried;
    t.settle();
    EXPECT_EQ(t.ns(), begin);
    t.period(1, 5e9); // void: it is not known what it belongs to
    EXPECT_EQ(t.windows(), windows);
    EXPECT_TRUE(t.ns() == begin || t.is_settling());
  }
  EXPECT_GT(tried, 0u);
}

TEST(split_threshold, a_start_that_was_not_tried_follows_the_parts) {
  split_threshold t({50, 2});
  give(t, {100'000}); // cold
  EXPECT_EQ(t.ns(), 50'000);
  give(t, {20'000});
  EXPECT_EQ(t.ns(), 10'000);
}

TEST(split_threshold, tries_nothing_in_the_first_windows) {
  split_threshold t({50, 2});
  give(t, parts_of_all_lengths(100));
  const double begin = t.ns();
  for (int i = 0; i < 50; ++i) {
    t.period(10, 1e6);
    EXPECT_EQ(t.ns(), begin);
  }
}

TEST(split_threshold, another_loop_is_compared_with_itself_alone) {
  split_threshold t({50, 2});
  give(t, {4000, 100'000});
  const double begin = t.ns();
  for (int i = 0; i < 25; ++i) t.period(1, 1e6);
  t.begin_loop();
  EXPECT_EQ(t.epoch(), 1u);
  for (int i = 0; i < 25; ++i) t.period(1, 5e6);
  EXPECT_EQ(t.ns(), begin);
  EXPECT_EQ(t.epoch(), 1u);
}

} // namespace
