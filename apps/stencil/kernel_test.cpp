// The kernels of every instruction set that this processor has.
#include "stencil/kernel.hpp"

#include "stencil/heat.hpp"
#include "stencil/kernel_variant.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <rapidcheck.h>
#include <vector>

namespace {

using namespace stencil;

constexpr std::size_t k_margin = 256;

/// Points [-k_margin, points + k_margin). After n steps the n points next to each end are wrong.
std::vector<double> start(std::size_t points) {
  std::vector<double> values(points + 2 * k_margin);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = initial_value(i * i);
  return values;
}
std::vector<double> stepped(std::vector<double> now, std::size_t steps) {
  std::vector<double> next = now;
  for (; steps > 0; --steps) {
    for (std::size_t i = 1; i + 1 < now.size(); ++i) heat(next[i], now[i - 1], now[i], now[i + 1]);
    now.swap(next);
  }
  return now;
}

void expect_tile_is_right(const kernel_variant& kernels, std::size_t points, std::size_t steps) {
  SCOPED_TRACE(testing::Message() << kernels.name << ": " << points << " points, " << steps << " steps");
  const auto in = start(points), expected = stepped(in, steps);
  constexpr double k_untouched = -1;
  std::vector<double> out(points + 2 * k_line, k_untouched);
  const auto scratch = make_aligned(kernels.tile_scratch(points, steps));
  kernels.advance_tile(in.data() + k_margin, out.data() + k_line, points, steps, scratch.get());
  EXPECT_EQ(std::memcmp(out.data() + k_line, expected.data() + k_margin, points * sizeof(double)), 0);
  EXPECT_EQ(out[k_line - 1], k_untouched);
  EXPECT_EQ(out[k_line + points], k_untouched);
}

} // namespace

TEST(kernel, rows_follow_the_formula) {
  for (const kernel_variant* kernels : kernel_variants()) {
    for (std::size_t points = 0; points < 40; ++points) {
      const auto in = start(points), expected = stepped(in, 1);
      for (std::size_t at = 0; at < k_line; ++at) { // whatever the alignment
        std::vector<double> out(at + points + 1, -1);
        kernels->advance_row(in.data() + k_margin, out.data() + at, points);
        EXPECT_EQ(std::memcmp(out.data() + at, expected.data() + k_margin, points * sizeof(double)), 0)
            << kernels->name;
        EXPECT_EQ(out[at + points], -1);
      }
    }
  }
}

TEST(kernel, tiles_of_every_height) {
  for (const kernel_variant* kernels : kernel_variants()) {
    for (std::size_t steps = 0; steps < 70; ++steps) expect_tile_is_right(*kernels, 80, steps);
  }
}

TEST(kernel, tiles_of_every_width) {
  for (const kernel_variant* kernels : kernel_variants()) {
    for (std::size_t lines = 1; lines < 70; ++lines) expect_tile_is_right(*kernels, lines * k_line, 13);
  }
}

TEST(kernel, tiles_of_any_size) {
  for (const kernel_variant* kernels : kernel_variants()) {
    EXPECT_TRUE(rc::check([&] {
      expect_tile_is_right(*kernels, *rc::gen::inRange<std::size_t>(1, 200) * k_line,
                           *rc::gen::inRange<std::size_t>(0, k_margin));
      RC_ASSERT(!testing::Test::HasFailure());
    }));
  }
}

TEST(kernel, best_one_is_chosen) { EXPECT_STREQ(instruction_set(), kernel_variants().front()->name); }
