#include "seismic/wave.hpp"
#include "seismic/wave_tasks.hpp"

#include <treadle/async.hpp>
#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace seismic {
namespace {

TEST(seismic_wave, neighbours_are_mutual) {
  const plane p{.tiles = 5};
  for (std::size_t i = 0; i < p.count(); ++i) {
    for (const edge e : k_every_edge) {
      const std::size_t other = neighbour(p, i, e);
      EXPECT_TRUE(other == p.count() || neighbour(p, other, opposite(e)) == i) << i;
    }
  }
  EXPECT_EQ(neighbour(p, 0, north), p.count());
  EXPECT_EQ(neighbour(p, 0, east), 1U);
  EXPECT_EQ(neighbour(p, 24, south), p.count());
}

TEST(seismic_wave, an_edge_has_the_points_of_its_side) {
  const plane p{.tiles = 1, .side = 3};
  std::vector<double> numbers(p.numbers());
  for (std::size_t i = 0; i < 9; ++i) numbers[9 + i] = static_cast<double>(i);
  std::vector<double> found(3);
  const auto expect = [&](edge e, const std::vector<double>& points) {
    copy_edge(p, numbers.data(), 1, e, found.data());
    EXPECT_EQ(found, points);
  };
  expect(north, {0, 1, 2});
  expect(south, {6, 7, 8});
  expect(west, {0, 3, 6});
  expect(east, {2, 5, 8});
}

TEST(seismic_wave, is_stable_and_moves) {
  const plane before{.tiles = 1, .side = 48, .steps = 0}, after{.tiles = 1, .side = 48, .steps = 400};
  const double start = serial_sum(before), end = serial_sum(after);
  EXPECT_GT(start, 1);
  EXPECT_LT(end, 4 * start); // the scheme does not blow up
  EXPECT_NE(end, start);
}

TEST(seismic_wave, refinements_change_the_cost_alone) {
  EXPECT_EQ(serial_sum({.tiles = 2, .side = 10, .steps = 20, .work = 20}),
            serial_sum({.tiles = 2, .side = 10, .steps = 20, .work = 60}));
}

TEST(seismic_wave, tasks_give_the_bits_of_the_serial_run) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    treadle::runtime_options options;
    options.workers = workers;
    const treadle::runtime runtime(options);
    for (const plane& p :
         {plane{1, 1, 1, 0}, plane{1, 7, 5, 1}, plane{3, 4, 21, 2}, plane{5, 1, 9, 0}, plane{4, 16, 50, 3}})
      EXPECT_EQ(treadle::async([&] { return run_tasks(p); }).get(), serial_sum(p)) << p.tiles << ' ' << p.side;
  }
}

} // namespace
} // namespace seismic
