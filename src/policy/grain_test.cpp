#include "policy/grain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace treadle::policies {
namespace {

/// A machine that runs rounds of a stencil: points per second for a grain, as in the model, with noise.
struct simulated_machine {
  grain_model model{1e8, 0.4, 500, 2};
  double noise = 0;
  double cache_points = 1e9; // tasks of more are slower
  std::mt19937 random{1};

  double true_speed(double g) const {
    const double c = model.ns_per_unit * (g > cache_points ? 1.8 : 1);
    const double tail = g * c / 2;
    return model.work / (model.work * c / model.workers * (1 + model.overhead_ns / (g * c)) + tail) * 1e9;
  }
  double speed(double g) {
    return true_speed(g) * std::exp(noise == 0 ? 0 : std::normal_distribution<double>(0, noise)(random));
  }
  double best_speed(double smallest, double largest) const {
    double best = 0;
    for (double g = smallest; g <= largest; g *= 1.05) best = std::max(best, true_speed(g));
    return best;
  }
};

void settle(grain_search& search, simulated_machine& machine, unsigned windows_max = 100) {
  for (unsigned i = 0; i < windows_max && !search.settled(); ++i) search.report(machine.speed(search.next()));
}

TEST(grain_model, its_best_is_where_a_round_takes_least) {
  const simulated_machine machine;
  const double g = machine.model.best();
  EXPECT_GT(machine.true_speed(g), machine.true_speed(g * 1.1));
  EXPECT_GT(machine.true_speed(g), machine.true_speed(g / 1.1));
  EXPECT_NEAR(machine.model.smallest_useful(), 23750, 1);
  EXPECT_EQ(machine.model.closest(160), machine.model.smallest_useful());
  EXPECT_EQ(machine.model.closest(50'000), 50'000);
  EXPECT_EQ(machine.model.closest(1e7), g);
}

TEST(grain_search, finds_the_best_from_anywhere) {
  for (double start : {160.0, 1000.0, 30'000.0, 1e6, 1e7}) {
    simulated_machine machine;
    grain_search search(160, 1e7, start);
    settle(search, machine);
    EXPECT_TRUE(search.settled());
    EXPECT_GT(machine.true_speed(search.best()), 0.95 * machine.best_speed(160, 1e7)) << start;
    EXPECT_LE(search.windows(), 30u) << start;
  }
}

TEST(grain_search, is_quick_from_a_good_start) {
  simulated_machine machine;
  grain_search search(160, 1e7, machine.model.best());
  settle(search, machine);
  EXPECT_LE(search.windows(), 20u);
}

TEST(grain_search, loses_little_from_a_trusted_start) {
  for (const unsigned windows : {5U, 20U, 100U, 1000U}) {
    simulated_machine machine;
    machine.cache_points = 50'000;
    machine.noise = 0.02;
    const double best = machine.best_speed(160, 1e7);
    grain_search search(160, 1e7, 40'000, 0);
    double lost = 0;
    for (unsigned i = 0; i < windows; ++i) {
      lost += 1 - machine.true_speed(search.next()) / best;
      search.report(machine.speed(search.next()));
    }
    EXPECT_LT(lost, 0.05 * windows + 0.2) << windows; // a try may lose more than is usual
  }
}

TEST(grain_search, keeps_a_trusted_start_until_a_try_is_paid_for) {
  grain_search search(160, 1e7, 40'000, 0);
  for (int i = 0; i < 9; ++i, search.report(1)) EXPECT_NEAR(search.next(), 40'000, 1e-6) << i;
  bool tried = false;
  for (int i = 0; i < 3; ++i, search.report(1)) tried |= search.next() != search.best();
  EXPECT_TRUE(tried);
}

TEST(grain_search, stands_noise) {
  int good = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    simulated_machine machine;
    machine.noise = 0.03;
    machine.random.seed(seed);
    machine.cache_points = 100'000;
    grain_search search(160, 1e7, machine.model.best());
    settle(search, machine);
    EXPECT_TRUE(search.settled()) << seed;
    good += machine.true_speed(search.best()) > 0.95 * machine.best_speed(160, 1e7);
  }
  EXPECT_GE(good, 95);
}

TEST(grain_search, opens_again_when_the_workload_changes) {
  simulated_machine machine;
  machine.noise = 0.02;
  grain_search search(160, 1e7, 1000);
  settle(search, machine);
  for (int i = 0; i < 1000; ++i) search.report(machine.speed(search.next()));
  EXPECT_EQ(search.reopened(), 0u);
  machine.model.ns_per_unit *= 50; // from now on a point is a lot of work
  for (int i = 0; i < 30 && search.reopened() == 0; ++i) search.report(machine.speed(search.next()));
  EXPECT_EQ(search.reopened(), 1u);
  settle(search, machine);
  EXPECT_GT(machine.true_speed(search.best()), 0.95 * machine.best_speed(160, 1e7));
}

TEST(grain_search, one_bad_window_changes_nothing) {
  simulated_machine machine;
  grain_search search(160, 1e7, machine.model.best());
  settle(search, machine);
  const double before = search.best();
  for (int i = 0; i < 100; ++i) search.report(i % 20 == 0 ? 1.0 : machine.speed(search.next()));
  EXPECT_EQ(search.best(), before);
  EXPECT_EQ(search.reopened(), 0u);
}

TEST(grain_search, void_windows_do_not_count) {
  grain_search search(160, 1e7, 1000);
  const double first = search.next();
  for (double nothing :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    search.report(nothing);
    EXPECT_EQ(search.next(), first);
  }
  EXPECT_EQ(search.windows(), 0u);
}

TEST(grain_search, a_single_grain_is_settled_at_once) {
  grain_search search(64, 64, 1000);
  EXPECT_EQ(search.next(), 64);
  search.report(1);
  EXPECT_TRUE(search.settled());
  EXPECT_EQ(search.best(), 64);
}

RC_GTEST_PROP(grain_search, stays_between_its_bounds_and_ends, ()) {
  const double smallest = *rc::gen::inRange(1, 1000), factor = *rc::gen::inRange(1, 1'000'000);
  grain_search search(smallest, smallest * factor, *rc::gen::inRange(0, 1'000'000'000));
  unsigned windows = 0;
  while (!search.settled()) {
    RC_ASSERT(search.next() >= smallest * (1 - 1e-9));
    RC_ASSERT(search.next() <= smallest * factor * (1 + 1e-9));
    search.report(*rc::gen::inRange(1, 1000)); // noise only
    RC_ASSERT(++windows < 500u);
  }
}

TEST(papers_rules, the_smallest_grain_that_is_not_idle) {
  idle_rate_rule rule(160, 1e6);
  while (!rule.settled()) rule.report(rule.next() < 5000 ? 50 : 29);
  EXPECT_EQ(rule.next(), 5120);
  idle_rate_rule never(160, 1000);
  while (!never.settled()) never.report(90);
  EXPECT_EQ(never.next(), 1000);
}

TEST(papers_rules, the_fewest_looks) {
  pending_access_rule rule(160, 1e6);
  for (int i = 0; i < 100 && !rule.settled(); ++i) {
    const double g = rule.next();
    rule.report(1e9 / g + 10 * g, 1e6);
  }
  EXPECT_TRUE(rule.settled());
  EXPECT_NEAR(std::log2(rule.next()), std::log2(10'000.0), 0.6);
}

} // namespace
} // namespace treadle::policies
