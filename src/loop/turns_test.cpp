#include "loop/turns.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using treadle::loop::turns;

constexpr std::int64_t k_lease = 100;

bool take(turns& t, const int& who, std::int64_t now_ns, double need_ns = 1) {
  return t.take({&who, need_ns, k_lease}, now_ns);
}

TEST(turns, go_round) {
  turns t;
  const int a = 0, b = 0, c = 0;
  EXPECT_TRUE(take(t, a, 0, 1));
  EXPECT_TRUE(take(t, a, 1, 1));
  EXPECT_FALSE(take(t, b, 2, 1));
  EXPECT_FALSE(take(t, c, 3, 1.5));
  t.done(&a);
  EXPECT_FALSE(take(t, c, 4, 1)); // its place is behind
  EXPECT_TRUE(take(t, b, 5, 1));
  EXPECT_FALSE(take(t, a, 6, 1)); // from now on
  t.done(&b);
  EXPECT_FALSE(take(t, a, 7, 1));
  EXPECT_TRUE(take(t, c, 8, 1));
  t.leave(&c);
  EXPECT_TRUE(take(t, a, 9, 1));
}

TEST(turns, end_with_their_lease) {
  turns t;
  const int a = 0, b = 0;
  EXPECT_TRUE(take(t, a, 0));
  EXPECT_FALSE(take(t, b, 50));
  EXPECT_TRUE(take(t, b, 120)); // a was not heard of
  EXPECT_FALSE(take(t, a, 121));
  EXPECT_TRUE(take(t, b, 219)); // not prolonged by asking
  EXPECT_FALSE(take(t, b, 220));
  EXPECT_TRUE(take(t, a, 221)); // the turn is over: a comes first
}

TEST(turns, places_of_the_silent_are_given_away) {
  turns t;
  const int a = 0, silent = 0, b = 0;
  EXPECT_TRUE(take(t, a, 0));
  EXPECT_FALSE(take(t, silent, 1));
  EXPECT_FALSE(take(t, b, 60, 2));
  t.done(&a);
  EXPECT_FALSE(take(t, b, 90, 2));
  EXPECT_TRUE(take(t, b, 101, 2));
}

/// In ten simulated minutes with one account: many whose tries cost little, one whose tries cost much.
TEST(turns, who_needs_much_saves_and_gets_its_share) {
  turns t;
  constexpr int k_cheap = 5;
  const int cheap[k_cheap] = {}, dear = 0;
  constexpr double k_cheap_ns = 0.6e6, k_dear_ns = 150e6;
  double credit = 0, spent_on_dear = 0, spent_on_cheap = 0;
  const auto ask = [&](const int& who, double need, std::int64_t lease, std::int64_t now, double& spent) {
    if (!t.take({&who, need, lease, credit >= need}, now)) return;
    credit -= need;
    spent += need;
    t.done(&who);
  };
  for (std::int64_t now = 0; now < 600'000'000'000; now += 2'000'000) {
    credit += 0.01 * 2e6;
    for (const int& c : cheap) ask(c, k_cheap_ns, 20'000'000, now, spent_on_cheap);
    if (now % 500'000'000 == 0) ask(dear, k_dear_ns, 2'000'000'000, now, spent_on_dear);
  }
  EXPECT_GT(spent_on_dear, 0.1 * 6e9); // a sixth would be its share
  EXPECT_LT(spent_on_dear, 0.25 * 6e9);
  EXPECT_GT(spent_on_cheap, 0.7 * 6e9);
}

TEST(turns, an_account_of_ones_own_waits_for_nobody_who_saves) {
  turns t;
  const int saving = 0, other = 0, rich = 0;
  EXPECT_FALSE(t.take({&saving, 1, k_lease, false}, 0));
  EXPECT_FALSE(t.take({&other, 5, k_lease, true}, 1));
  EXPECT_TRUE(t.take({&rich, 5, k_lease, true, false}, 2));
  t.done(&rich);
  EXPECT_TRUE(t.take({&saving, 1, k_lease, true}, 3));
}

TEST(turns, there_may_be_more_who_want_one_than_places) {
  turns t;
  const int many[100] = {};
  std::vector<int> had(100);
  for (std::int64_t now = 0; now < 100'000; ++now) {
    const auto i = static_cast<std::size_t>(now) % 100;
    if (!t.take({&many[i], 1, 1000}, now)) continue;
    ++had[i];
    t.done(&many[i]);
  }
  for (const int turns_had : had) EXPECT_GT(turns_had, 0);
}

TEST(turns, are_free_in_the_child_of_a_fork) {
  turns t;
  const int a = 0, b = 0, c = 0;
  EXPECT_TRUE(take(t, a, 0));
  EXPECT_FALSE(take(t, b, 1));
  t.clear();
  EXPECT_TRUE(take(t, c, 2));
}

} // namespace
