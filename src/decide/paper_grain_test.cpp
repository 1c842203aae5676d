#include "decide/paper_grain.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace treadle::decide {
namespace {

constexpr double k_none = std::numeric_limits<double>::quiet_NaN();

grain_window idle_for(double percent) { return {.executing_ns = 100 - percent, .overall_ns = 100}; }

TEST(papers_grain_rules, the_equations) {
  grain_window w{.units = 10, .tasks = 4, .executing_ns = 500, .overall_ns = 700, .looks = 5, .workers = 2};
  w.add({.units = 10, .tasks = 6, .executing_ns = 100, .overall_ns = 300, .looks = 2, .workers = 2});
  EXPECT_EQ(w.units, 20);
  EXPECT_EQ(w.looks, 7);
  EXPECT_EQ(w.idle_rate(), 40);
  EXPECT_EQ(w.task_ns(), 60);
  EXPECT_EQ(w.management_ns(), 200); // 400 ns that are in no task, two workers
  EXPECT_EQ(w.wait_ns(50), 50);      // ten tasks wait for 10 ns each
  EXPECT_EQ(w.wait_ns(70), -50);
  EXPECT_TRUE(std::isnan(grain_window{}.idle_rate()));
}

TEST(papers_grain_rules, the_smallest_grain_that_is_not_idle) {
  idle_rate_rule rule(160, 1e6, 30);
  rule.report(idle_for(k_none));
  EXPECT_EQ(rule.next(), 160);
  while (!rule.settled()) rule.report(idle_for(rule.next() < 5000 ? 50 : 30));
  EXPECT_EQ(rule.next(), 5120);
  idle_rate_rule strict(160, 1e6, 10);
  while (!strict.settled()) strict.report(idle_for(strict.next() < 5000 ? 50 : strict.next() < 20'000 ? 30 : 10));
  EXPECT_EQ(strict.next(), 20'480);
  idle_rate_rule never(160, 1000, 30);
  while (!never.settled()) never.report(idle_for(90));
  EXPECT_EQ(never.next(), 1000);
}

/// A task takes 1 ns per unit and 500 ns more; with two workers, those of more than 4000 units half as long again,
/// and a worker does nothing for 200 ns after each and for half the time where the grain is above 100,000.
grain_window window_of(const costs_rule& rule, bool has_more_workers = true) {
  const double grain = rule.next(), workers = !rule.calibrates() && has_more_workers ? 2 : 1;
  double task_ns = grain + 500;
  if (workers > 1 && grain > 4000) task_ns *= 1.5;
  const double overall_ns = (task_ns + 200) * (workers > 1 && grain > 1e5 ? 2 : 1);
  return {.units = 7, .tasks = 10, .executing_ns = 10 * task_ns, .overall_ns = 10 * overall_ns, .workers = workers};
}

TEST(papers_grain_rules, the_least_management_and_wait_time) {
  costs_rule rule(160, 1e6);
  unsigned alone = 0, together = 0;
  while (!rule.settled()) {
    ++(rule.calibrates() ? alone : together);
    rule.report(window_of(rule));
  }
  EXPECT_EQ(alone, 14u); // 160, 320 ... 655,360, 1,000,000
  EXPECT_EQ(together, 14u);
  EXPECT_EQ(rule.next(), 2560); // the largest that does not wait
  rule.report(window_of(rule));
  EXPECT_EQ(rule.next(), 2560);
}

TEST(papers_grain_rules, one_worker_does_not_wait) {
  costs_rule rule(160, 1e6);
  while (!rule.settled()) {
    grain_window w = window_of(rule, false);
    if (rule.calibrates()) w.executing_ns += 100, w.overall_ns += 100; // by chance
    rule.report(w);
  }
  EXPECT_EQ(rule.next(), 1e6);
}

TEST(papers_grain_rules, windows_without_tasks_are_void) {
  costs_rule rule(160, 200);
  for (const grain_window& nothing : {grain_window{}, grain_window{.tasks = k_none, .executing_ns = k_none},
                                      grain_window{.executing_ns = 5, .overall_ns = 9}}) {
    rule.report(nothing);
    EXPECT_EQ(rule.next(), 160);
  }
  for (int i = 0; i < 4; ++i) rule.report(window_of(rule));
  EXPECT_TRUE(rule.settled());
  costs_rule one(64, 64);
  one.report(window_of(one));
  EXPECT_FALSE(one.calibrates());
  one.report(window_of(one));
  EXPECT_TRUE(one.settled());
  EXPECT_EQ(one.next(), 64);
}

} // namespace
} // namespace treadle::decide
