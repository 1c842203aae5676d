#include "decide/adaptive_inlining.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace treadle::decide;
using reason = inlining_verdict::reason;

execution_cost measured(double ns, bool blocked = false, int count = 20) {
  execution_cost cost;
  for (int i = 0; i < count; ++i) cost.add(ns, blocked, {50, 4});
  return cost;
}

inlining_verdict verdict(const spawn_cost& task, double ns, bool blocked = false, int count = 20) {
  return judge(measured(ns, blocked, count), task);
}

TEST(adaptive_inlining, knows_the_clear_cases) {
  const auto expect = [](const inlining_verdict& v, reason why, bool inlined) {
    EXPECT_EQ(v.why, why);
    EXPECT_EQ(v.inlined, inlined);
  };
  expect(verdict({50, 1}, 1e6), reason::alone, true);
  expect(verdict({50, 4}, 80), reason::brief, true);
  expect(verdict({50, 4}, 1e6), reason::lengthy, false);
  expect(verdict({50, 4}, 80, true), reason::blocks, false);
  expect(verdict({50, 1}, 80, false, 4), reason::unknown, false);
  expect(verdict({50, 4}, 500), reason::uncertain, true); // the suggestion
  expect(verdict({50, 4}, 2000), reason::uncertain, false);
}

TEST(adaptive_inlining, a_verdict_stays_until_its_bounds_are_left_clearly) {
  const spawn_cost task{50, 4};
  EXPECT_EQ(judge(measured(110), task).why, reason::uncertain);
  EXPECT_EQ(judge(measured(110), task, reason::brief).why, reason::brief);
  EXPECT_EQ(judge(measured(200), task, reason::brief).why, reason::uncertain);
  EXPECT_EQ(judge(measured(18'000), task).why, reason::uncertain);
  EXPECT_EQ(judge(measured(18'000), task, reason::lengthy).why, reason::lengthy);
  EXPECT_EQ(judge(measured(10'000), task, reason::lengthy).why, reason::uncertain);
  // What lies on a bound, with noise, changes once at most.
  auto why = reason::unknown;
  int changes = 0;
  for (int i = 0; i < 100; ++i) {
    const auto now = judge(measured(i % 2 == 0 ? 97 : 103), task, why).why;
    changes += now != std::exchange(why, now);
  }
  EXPECT_LE(changes, 2); // the first one is from unknown
}

TEST(adaptive_inlining, says_why) {
  EXPECT_EQ(explain(reason::brief, measured(80), {25, 2}), "short: 80 ns, and a task costs 25 ns");
  EXPECT_EQ(explain(reason::alone, measured(80), {25, 1}), "there is one worker");
  EXPECT_EQ(explain(reason::uncertain, measured(500), {25, 2}),
            "neither short nor long: 500 ns, and a task costs 25 ns");
}

TEST(adaptive_inlining, pauses_of_the_program_are_told_from_waits_for_its_tasks) {
  const auto cost = measured(1000);
  const spawn_cost task{50, 2};
  constexpr double k_calls = 64;
  call_backlog inlined, spawned;
  for (int burst = 0; burst < 10; ++burst) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_FALSE(inlined.is_pause(k_calls, k_calls * 1000, cost, task));
      EXPECT_FALSE(spawned.is_pause(k_calls, k_calls * 50, cost, task)); // is made, not done
    }
    EXPECT_FALSE(spawned.is_pause(k_calls, 20 * k_calls * 1000, cost, task)); // nobody has helped
    EXPECT_TRUE(inlined.is_pause(k_calls, 10e6, cost, task));
    EXPECT_TRUE(spawned.is_pause(k_calls, 10e6, cost, task));
  }
  // Two workers leave half of the time over, which is not saved for ever.
  for (int i = 0; i < 1'000'000; ++i) EXPECT_FALSE(spawned.is_pause(k_calls, k_calls * 500, cost, task));
  EXPECT_TRUE(spawned.is_pause(k_calls, 10e9, cost, task));
  EXPECT_TRUE(spawned.is_pause(k_calls, 10e6, cost, task));
}

TEST(adaptive_inlining, one_preempted_execution_does_not_make_a_task_long) {
  auto cost = measured(60);
  cost.add(4'000'000, false, {50, 2});
  EXPECT_TRUE(judge(cost, {50, 2}).inlined);
  EXPECT_LT(cost.mean_ns(), 100);
}

TEST(adaptive_inlining, sees_when_a_task_becomes_long) {
  auto cost = measured(60);
  for (int i = 0; i < 60; ++i) cost.add(1e6, false, {50, 2});
  EXPECT_FALSE(judge(cost, {50, 2}).inlined);
}

} // namespace
