#include <treadle/treadle.hpp>
#include <treadle/tune/grain_tuner.hpp>

#include "control/refusal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using treadle::grain_tuner;

std::string message_of(const grain_tuner::options& wanted) {
  return treadle::message_of([&] { grain_tuner tuner(wanted); });
}

/// Runs until it has settled; what a step does is nobody's business.
unsigned settle(grain_tuner& tuner) {
  unsigned steps = 0;
  for (; !tuner.settled() && steps < 100'000; ++steps) {
    treadle::async([] {}).get();
    tuner.done(1, tuner.grain());
  }
  return steps;
}

TEST(grain_tuner, settles_within_its_bounds) {
  treadle::runtime runtime({.workers = 2});
  for (const char* policy : {"auto", "paper-idle-rate", "paper-pending", "paper-costs"}) {
    grain_tuner tuner({.smallest = 100, .largest = 5000, .policy = policy, .window_ns = 100'000, .budget = 0});
    EXPECT_GT(settle(tuner), 0u) << policy;
    EXPECT_TRUE(tuner.settled()) << policy;
    EXPECT_GE(tuner.grain(), 100u) << policy;
    EXPECT_LE(tuner.grain(), 5000u) << policy;
    EXPECT_GT(tuner.windows(), 0u) << policy;
  }
}

TEST(grain_tuner, starts_where_it_is_told_to) {
  EXPECT_EQ(grain_tuner({.smallest = 64, .largest = 65536, .start = 1024}).grain(), 1024u);
  EXPECT_EQ(grain_tuner({.smallest = 64, .largest = 65536}).grain(), 2048u); // the middle
  EXPECT_EQ(grain_tuner({.smallest = 64, .largest = 64}).grain(), 64u);
}

TEST(grain_tuner, never_leaves_its_bounds) {
  for (const double largest : {2147483647.0, 4294967295.0, 1e9, 7.0}) {
    grain_tuner tuner({.smallest = 1, .largest = largest, .window_ns = 0, .budget = 0});
    for (int i = 0; i < 100; ++i) {
      ASSERT_GE(tuner.grain(), 1u);
      ASSERT_LE(static_cast<double>(tuner.grain()), largest);
      tuner.done(1 / static_cast<double>(tuner.grain() * tuner.grain()), tuner.grain()); // the smaller the better
    }
  }
}

TEST(grain_tuner, a_window_has_a_length) {
  grain_tuner tuner({.smallest = 1, .largest = 1000, .window_ns = 3'600'000'000'000});
  for (int i = 0; i < 100; ++i) tuner.done(1, tuner.grain());
  EXPECT_EQ(tuner.windows(), 0u);
}

TEST(grain_tuner, time_in_between_does_not_count) {
  grain_tuner tuner({.smallest = 1, .largest = 1000, .window_ns = 30'000'000});
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  tuner.resume();
  tuner.done(1, tuner.grain()); // a moment later, unless the machine was busy with something else
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  tuner.done(1, tuner.grain());
  EXPECT_GE(tuner.windows(), 1u);
}

TEST(grain_tuner, counters_do_not_count_time_in_between_either) {
  treadle::runtime runtime({.workers = 1});
  grain_tuner tuner({.smallest = 1, .largest = 1000, .policy = "paper-idle-rate", .idle_rate = 90, .window_ns = 0});
  const auto step = [] {
    treadle::async([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }).get(); // for a worker: work
  };
  step();
  std::this_thread::sleep_for(std::chrono::milliseconds(400)); // for a worker: nothing to do
  tuner.resume();
  step();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  tuner.done(1, tuner.grain() + 1); // void
  step();
  tuner.done(1, tuner.grain());
  EXPECT_TRUE(tuner.settled());
  EXPECT_EQ(tuner.grain(), 1u);
}

TEST(grain_tuner, costs_are_calibrated_with_one_worker) {
  treadle::runtime runtime({.workers = 4});
  runtime.set_concurrency(3);
  const unsigned usable = runtime.concurrency(); // there may be fewer cores
  const grain_tuner::options wanted{.smallest = 1, .largest = 8, .policy = "paper-costs", .window_ns = 0};
  std::vector<unsigned> seen;
  {
    grain_tuner tuner(wanted);
    EXPECT_EQ(runtime.concurrency(), usable);
    while (!tuner.settled()) {
      treadle::async([] {}).get();
      tuner.done(1, tuner.grain());
      seen.push_back(runtime.concurrency());
    }
  }
  // A window of each of 1, 2, 4 and 8 with one worker, then with all; some are void, for no task ended in them.
  const auto together = std::ranges::find_if(seen, [](unsigned workers) { return workers > 1; });
  if (usable > 1) {
    EXPECT_GE(together - seen.begin(), 4);
    EXPECT_GE(seen.end() - together, 4);
    EXPECT_EQ(std::count(together, seen.end(), usable), seen.end() - together);
  }
  EXPECT_EQ(runtime.concurrency(), usable);
  {
    grain_tuner cut_short(wanted);
    treadle::async([] {}).get();
    cut_short.done(1, cut_short.grain());
    EXPECT_EQ(runtime.concurrency(), 1u);
  }
  EXPECT_EQ(runtime.concurrency(), usable);
  {
    grain_tuner beside_others(wanted);
    treadle::async([] {}).get();
    beside_others.done(1, beside_others.grain());
    runtime.set_concurrency(2); // a program that changes its mind
  }
  EXPECT_EQ(runtime.concurrency(), std::min(usable, 2u));
}

TEST(grain_tuner, bounds_and_policies_are_checked) {
  EXPECT_EQ(message_of({.policy = "best"}),
            "grain_tuner: no policy 'best'; known: auto, paper-idle-rate, paper-pending, paper-costs");
  EXPECT_NE(message_of({.smallest = 0}), "no error");
  EXPECT_NE(message_of({.smallest = 10, .largest = 9}), "no error");
  EXPECT_NE(message_of({.smallest = std::nan("")}), "no error");
  EXPECT_NE(message_of({.largest = HUGE_VAL}), "no error");
  EXPECT_NE(message_of({.start = std::nan("")}), "no error");
  EXPECT_NE(message_of({.step = -1}), "no error");
  EXPECT_NE(message_of({.overhead_ns = -1}), "no error");
  EXPECT_NE(message_of({.window_ns = -1}), "no error");
  EXPECT_NE(message_of({.budget = std::nan("")}), "no error");
  for (const double wrong : {-1.0, 101.0, std::nan("")})
    EXPECT_NE(message_of({.idle_rate = wrong}).find("expected an idle_rate of 0 to 100 percent, got"),
              std::string::npos);
}

} // namespace
