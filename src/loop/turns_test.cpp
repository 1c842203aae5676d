#include "loop/turns.hpp"

#include <gtest/gtest.h>

namespace {

using treadle::loop::turns;

constexpr std::int64_t k_lease = 100;

TEST(turns, go_round) {
  turns t;
  const int a = 0, b = 0, c = 0;
  EXPECT_TRUE(t.take(&a, 0, k_lease));
  EXPECT_TRUE(t.take(&a, 1, k_lease));
  EXPECT_FALSE(t.take(&b, 2, k_lease));
  EXPECT_FALSE(t.take(&c, 3, k_lease));
  t.done(&a);
  EXPECT_FALSE(t.take(&a, 4, k_lease)); // others wait
  EXPECT_TRUE(t.take(&b, 5, k_lease));
  EXPECT_FALSE(t.take(&c, 6, k_lease));
  t.done(&b);
  EXPECT_FALSE(t.take(&a, 7, k_lease));
  EXPECT_TRUE(t.take(&c, 8, k_lease));
  t.leave(&c);
  EXPECT_TRUE(t.take(&a, 9, k_lease));
}

TEST(turns, end_with_their_lease) {
  turns t;
  const int a = 0, b = 0;
  EXPECT_TRUE(t.take(&a, 0, k_lease));
  EXPECT_FALSE(t.take(&b, 50, k_lease));
  EXPECT_TRUE(t.take(&b, 120, k_lease)); // a was not heard of
  EXPECT_FALSE(t.take(&a, 121, k_lease));
  EXPECT_TRUE(t.take(&b, 219, k_lease)); // not prolonged by asking
  EXPECT_FALSE(t.take(&b, 220, k_lease));
  EXPECT_TRUE(t.take(&a, 221, k_lease)); // the turn is over: a comes first
}

TEST(turns, places_of_the_silent_are_given_away) {
  turns t;
  const int a = 0, silent = 0, b = 0;
  EXPECT_TRUE(t.take(&a, 0, k_lease));
  EXPECT_FALSE(t.take(&silent, 1, k_lease));
  EXPECT_FALSE(t.take(&b, 60, k_lease));
  t.done(&a);
  EXPECT_FALSE(t.take(&b, 90, k_lease));
  EXPECT_TRUE(t.take(&b, 1'000'000'002, k_lease));
}

TEST(turns, who_asks_seldom_has_its_turn_too) {
  turns t;
  const int fast = 0, slow = 0;
  int had = 0;
  for (std::int64_t now = 0; now < 20'000'000'000; now += 2'000'000) { // 20 s
    if (now % 100'000'000 == 0 && t.take(&slow, now, 20'000'000)) {
      ++had;
      t.done(&slow);
    }
    if (t.take(&fast, now, 20'000'000)) t.done(&fast);
  }
  EXPECT_GT(had, 50);
}

TEST(turns, there_may_be_more_who_want_one_than_places) {
  turns t;
  int many[100], had[100] = {};
  for (std::int64_t now = 0; now < 100'000; ++now) {
    const auto i = static_cast<std::size_t>(now) % 100;
    if (!t.take(&many[i], now, 1000)) continue;
    ++had[i];
    t.done(&many[i]);
  }
  for (const int turns_had : had) EXPECT_GT(turns_had, 0);
}

} // namespace
