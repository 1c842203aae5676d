// Every version gives the values of the serial run, to the last bit.
#include "stencil/faithful.hpp"
#include "stencil/heat.hpp"
#include "stencil/heat_ring.hpp"
#include "stencil/plain.hpp"

#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <rapidcheck.h>
#include <span>
#include <vector>

namespace {

using namespace stencil;

constexpr unsigned k_workers[] = {1, 2, 4};

/// By the formula alone, without the kernels.
std::vector<double> by_hand(std::size_t points, std::size_t steps) {
  std::vector<double> now(points), next(points);
  for (std::size_t i = 0; i < points; ++i) now[i] = initial_value(i);
  for (; steps > 0; --steps) {
    for (std::size_t i = 0; i < points; ++i)
      next[i] = now[i] + k_coefficient * (now[(i + points - 1) % points] - 2 * now[i] + now[(i + 1) % points]);
    now.swap(next);
  }
  return now;
}

bool equal(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::vector<double> serial(std::size_t points, std::size_t steps) {
  plain_ring ring(points);
  ring.run_steps(steps);
  return {ring.values().begin(), ring.values().end()};
}

struct size_case {
  std::size_t points, partition, tile_steps, steps;
};
constexpr size_case k_cases[] = {
    {1, 1, 1, 5},
    {2, 1, 3, 5},
    {3, 2, 2, 7},
    {3, 100, 100, 10},
    {7, 3, 4, 9},
    {8, 8, 8, 8},
    {9, 8, 50, 20},
    {15, 8, 3, 11},
    {16, 8, 8, 17},
    {17, 5, 9, 40},
    {100, 100, 50, 50},
    {100, 7, 5, 23},
    {1000, 128, 50, 0},
    {1000, 128, 50, 1},
    {1000, 128, 50, 50},
    {1000, 128, 50, 120},
    {1000, 1, 1, 4},
    {1003, 64, 64, 130},
    {1003, 100, 1000, 75},
    {4096, 1024, 7, 50},
    {4096, 4096, 64, 100},
    {10'007, 999, 33, 101},
    {10'007, 2048, 8, 8},
    {10'007, 50, 17, 35},
    {20'000, 5000, 200, 450},
};

void expect_all_equal(const size_case& c) {
  SCOPED_TRACE(testing::Message() << c.points << " points by " << c.partition << ", " << c.steps << " steps by "
                                  << c.tile_steps);
  const std::vector<double> expected = serial(c.points, c.steps);
  faithful_ring faithful(c.points, c.partition);
  faithful.run_steps(c.steps);
  EXPECT_TRUE(equal(faithful.values(), expected));
  heat_ring best(c.points);
  best.run_steps(c.steps, {c.partition, c.tile_steps});
  EXPECT_TRUE(equal(best.values(), expected));
  plain_ring loop(c.points);
  loop.run_steps_in_parallel(c.steps, c.partition);
  EXPECT_TRUE(equal(loop.values(), expected));
}

} // namespace

TEST(stencil, serial_run_follows_the_formula) {
  for (const size_case& c : k_cases) {
    const auto expected = by_hand(c.points, c.steps), values = serial(c.points, c.steps);
    for (std::size_t i = 0; i < c.points; ++i) ASSERT_NEAR(values[i], expected[i], 1e-12) << c.points << ' ' << i;
  }
}

TEST(stencil, heat_spreads_and_is_kept) {
  const auto values = serial(1009, 10'000);
  double sum = 0, start = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    start += initial_value(i);
    ASSERT_LT(values[i], 1.008);
    ASSERT_GT(values[i], 0.0);
  }
  EXPECT_NEAR(sum, start, 1e-8);
}

TEST(stencil, partitions_of_another_size_between_steps) {
  for (const unsigned workers : k_workers) {
    const treadle::runtime runtime({.workers = workers});
    for (const std::size_t points : {1U, 2U, 3U, 7U, 100U, 1003U}) {
      faithful_ring ring(points, 10);
      std::size_t steps = 0;
      for (const std::size_t partition : {1U, 3U, 10U, 2U, 1000U, 1U, 64U, 33U, 5000U, 7U}) {
        const double only = static_cast<double>(partition);
        treadle::grain_tuner tuner({.smallest = only, .largest = only, .window_ns = 0});
        ring.run_steps(3, &tuner);
        steps += 3;
        EXPECT_EQ(ring.partition_count(), (points + partition - 1) / partition);
        EXPECT_TRUE(equal(ring.values(), serial(points, steps))) << points << " points, " << partition;
      }
    }
  }
}

TEST(stencil, partitions_change_while_rounds_are_in_flight) {
  for (const unsigned workers : k_workers) {
    const treadle::runtime runtime({.workers = workers});
    treadle::grain_tuner tuner({.smallest = 1, .largest = 2000, .window_ns = 0}); // tries something in most rounds
    faithful_ring ring(1003, 10);
    ring.run_steps(200, &tuner);
    EXPECT_GT(tuner.windows(), 2U);
    EXPECT_TRUE(equal(ring.values(), serial(1003, 200)));
  }
}

TEST(stencil, all_versions_agree_to_the_last_bit) {
  for (const unsigned workers : k_workers) {
    const treadle::runtime runtime({.workers = workers});
    for (const size_case& c : k_cases) expect_all_equal(c);
  }
}

TEST(stencil, all_versions_agree_whatever_the_sizes) {
  for (const unsigned workers : k_workers) {
    const treadle::runtime runtime({.workers = workers});
    EXPECT_TRUE(rc::check([] {
      const auto some = [](std::size_t end) { return *rc::gen::inRange<std::size_t>(1, end); };
      const size_case c{some(600), some(400), some(80), some(120)};
      expect_all_equal(c);
      RC_ASSERT(!testing::Test::HasFailure());
    }));
  }
}

TEST(stencil, grain_may_change_between_steps) {
  for (const unsigned workers : k_workers) {
    const treadle::runtime runtime({.workers = workers});
    heat_ring ring(5003);
    std::size_t done = 0;
    for (const auto& [steps, size] : {std::pair{std::size_t{10}, grain{512, 4}},
                                      {7, {5003, 7}},
                                      {0, {100, 10}},
                                      {40, {8, 8}},
                                      {33, {2000, 1}},
                                      {90, {1000, 64}}}) {
      ring.run_steps(steps, size);
      done += steps;
      ASSERT_TRUE(equal(ring.values(), serial(5003, done))) << done;
    }
  }
}

TEST(stencil, tiles_are_no_higher_than_wide) {
  EXPECT_EQ(heat_ring(1000).tile_steps({128, 50}), 50U);
  EXPECT_EQ(heat_ring(1000).tile_steps({128, 500}), 120U);
  EXPECT_EQ(heat_ring(3).tile_steps({128, 500}), 3U);
  EXPECT_EQ(heat_ring(1000).tile_steps({0, 0}), 1U);
}

TEST(stencil, runs_go_on_where_the_last_one_ended) {
  const treadle::runtime runtime({.workers = 2});
  faithful_ring faithful(1000, 100);
  plain_ring loop(1000);
  for (int i = 0; i < 3; ++i) {
    faithful.run_steps(15);
    loop.run_steps_in_parallel(15, 100);
  }
  EXPECT_TRUE(equal(faithful.values(), serial(1000, 45)));
  EXPECT_TRUE(equal(loop.values(), serial(1000, 45)));
}
