#include <treadle/treadle.hpp>
#include <treadle/tune/grain_tuner.hpp>

#include "control/refusal.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

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
  for (const char* policy : {"auto", "paper-idle-rate", "paper-pending"}) {
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

TEST(grain_tuner, bounds_and_policies_are_checked) {
  EXPECT_EQ(message_of({.policy = "best"}),
            "grain_tuner: no policy 'best'; known: auto, paper-idle-rate, paper-pending");
  EXPECT_NE(message_of({.smallest = 0}), "no error");
  EXPECT_NE(message_of({.smallest = 10, .largest = 9}), "no error");
  EXPECT_NE(message_of({.smallest = std::nan("")}), "no error");
  EXPECT_NE(message_of({.largest = HUGE_VAL}), "no error");
  EXPECT_NE(message_of({.start = std::nan("")}), "no error");
  EXPECT_NE(message_of({.step = -1}), "no error");
  EXPECT_NE(message_of({.overhead_ns = -1}), "no error");
  EXPECT_NE(message_of({.window_ns = -1}), "no error");
  EXPECT_NE(message_of({.budget = std::nan("")}), "no error");
}

} // namespace
