// The grain of programs that are simulated: time passes as the model says.
#include "control/tuned_grain.hpp"

#include "loop/turns.hpp"

#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using treadle::detail::tuned_grain;

/// Rounds of a stencil.
struct machine {
  double points = 1e7, point_ns = 0.4, task_ns = 500;
  double noise = 0;
  double cache_points = 1e9; // tasks of more are slower
  std::mt19937 random{1};
  std::int64_t now_ns = 1;
  double spent_ns = 0;

  double round_ns(double g) const {
    const double c = point_ns * (g > cache_points ? 1.8 : 1);
    return points * c / 2 * (1 + task_ns / (g * c)) + g * c / 2;
  }
  double best_ns(double smallest, double largest) const {
    double best = round_ns(smallest);
    for (double g = smallest; g <= largest; g *= 1.05) best = std::min(best, round_ns(g));
    return best;
  }
  void run(tuned_grain& tuned) {
    const double ns = round_ns(tuned.grain()),
                 measured = ns * std::exp(noise * std::normal_distribution<>(0, 1)(random));
    spent_ns += ns;
    now_ns += static_cast<std::int64_t>(measured);
    tuned.done(points, measured, now_ns);
  }
  void settle(tuned_grain& tuned) {
    for (int i = 0; i < 20'000 && !tuned.settled(); ++i) run(tuned);
  }
};

/// Nobody that an earlier test has left has a turn, which here, where time is simulated, would never run out.
tuned_grain from(double start, double budget = 0) {
  treadle::loop::the_turns.clear();
  return tuned_grain({.smallest = 160, .largest = 1e7, .start = start, .budget = budget});
}

TEST(tuned_grain, finds_the_best_from_anywhere) {
  for (const double start : {0.0, 160.0, 1000.0, 30'000.0, 1e6, 1e7}) {
    machine m;
    tuned_grain tuned = from(start);
    m.settle(tuned);
    EXPECT_TRUE(tuned.settled());
    EXPECT_LT(m.round_ns(tuned.grain()), 1.03 * m.best_ns(160, 1e7)) << start;
    EXPECT_LE(tuned.windows(), 400u) << start;
  }
}

TEST(tuned_grain, stands_noise) {
  int good = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    machine m{.noise = 0.03, .cache_points = 100'000};
    m.random.seed(seed);
    tuned_grain tuned = from(0);
    m.settle(tuned);
    EXPECT_TRUE(tuned.settled()) << seed;
    good += m.round_ns(tuned.grain()) < 1.05 * m.best_ns(160, 1e7);
  }
  EXPECT_GE(good, 95);
}

TEST(tuned_grain, loses_little_from_a_good_start) {
  for (const int rounds : {5, 20, 100, 1000, 10'000}) {
    machine m{.noise = 0.02, .cache_points = 50'000};
    tuned_grain tuned = from(40'000, 0.01);
    const double start_ns = m.round_ns(tuned.grain());
    for (int i = 0; i < rounds; ++i) m.run(tuned);
    EXPECT_LT(m.spent_ns, start_ns * (rounds * 1.01 + 1)) << rounds; // a try may lose more than is usual
  }
}

TEST(tuned_grain, begins_where_the_model_says) {
  machine m{.task_ns = 5000}; // ten times what it is taken for
  tuned_grain tuned(
      {.smallest = 160, .largest = 1e7, .start = 160, .step = m.points, .overhead_ns = 500, .budget = 0.01});
  for (int i = 0; i < 4; ++i) m.run(tuned);
  EXPECT_GT(tuned.grain(), 10'000); // the first samples alone would say 1000
  EXPECT_EQ(tuned.windows(), 0u);
  const double modelled = tuned.grain();
  m.run(tuned);
  EXPECT_EQ(tuned.grain(), modelled);
}

TEST(tuned_grain, searches_again_when_the_work_changes) {
  machine m{.noise = 0.02};
  tuned_grain tuned = from(1000);
  for (int i = 0; i < 200; ++i) m.run(tuned);
  m.point_ns *= 50; // from now on a point is a lot of work
  m.points /= 50;
  for (int i = 0; i < 60; ++i) m.run(tuned);
  m.settle(tuned);
  EXPECT_LT(m.round_ns(tuned.grain()), 1.05 * m.best_ns(160, 1e7));
}

TEST(tuned_grain, nothing_done_says_nothing) {
  tuned_grain tuned = from(1000);
  for (const double units : {0.0, -1.0, std::nan("")}) tuned.done(units, 1e9, 1);
  tuned.done(1, 0, 1);
  EXPECT_EQ(tuned.windows(), 0u);
  EXPECT_NEAR(tuned.grain(), 1000, 1e-6);
}

TEST(tuned_grain, a_single_one_is_settled) {
  tuned_grain tuned({.smallest = 64, .largest = 64, .start = 1000});
  EXPECT_EQ(tuned.grain(), 64);
  EXPECT_TRUE(tuned.settled());
}

TEST(tuned_grain, another_number_of_workers_brings_back_what_was_found_for_it) {
  machine two, one{.task_ns = 50'000};
  std::optional<treadle::runtime> rt(std::in_place, treadle::runtime_options{.workers = 2});
  tuned_grain tuned = from(1000);
  two.settle(tuned);
  const double found = tuned.grain();
  rt.reset();
  rt.emplace(treadle::runtime_options{.workers = 1});
  one.run(tuned);
  one.settle(tuned);
  EXPECT_NE(tuned.grain(), found);
  rt.reset();
  rt.emplace(treadle::runtime_options{.workers = 2});
  two.run(tuned);
  EXPECT_EQ(tuned.grain(), found);
  EXPECT_TRUE(tuned.settled());
}

} // namespace
