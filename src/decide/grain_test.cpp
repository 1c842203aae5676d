#include "decide/grain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace treadle::decide {
namespace {

TEST(grain_model, its_best_is_where_a_round_takes_least) {
  const grain_model model{1e8, 0.4, 500, 2};
  const auto round_ns = [&](double g) {
    const double c = model.ns_per_unit;
    return model.work * c / model.workers * (1 + model.overhead_ns / (g * c)) + g * c / 2;
  };
  const double g = model.best();
  EXPECT_LT(round_ns(g), round_ns(g * 1.1));
  EXPECT_LT(round_ns(g), round_ns(g / 1.1));
  EXPECT_NEAR(model.smallest_useful(), 23750, 1);
  EXPECT_EQ(model.closest(160), model.smallest_useful());
  EXPECT_EQ(model.closest(50'000), 50'000);
  EXPECT_EQ(model.closest(1e7), g);
}

RC_GTEST_PROP(grain_places, are_half_octaves_between_their_bounds, ()) {
  const double smallest = *rc::gen::inRange(1, 1000), factor = *rc::gen::inRange(1, 1'000'000);
  const double start = *rc::gen::inRange(0, 1'000'000'000), largest = smallest * factor;
  const grain_places places(smallest, largest, start);
  RC_ASSERT(places.start() < places.count());
  RC_ASSERT(std::abs(places.grain(places.start()) / std::clamp(start, smallest, largest) - 1) < 1e-9);
  RC_ASSERT(places.grain(0) >= smallest * (1 - 1e-9));
  RC_ASSERT(places.grain(0) < smallest * std::sqrt(2) * (1 + 1e-9));
  RC_ASSERT(places.grain(places.count() - 1) <= largest * (1 + 1e-9));
  for (std::uint32_t i = 0; i + 1 < places.count(); ++i)
    RC_ASSERT(std::abs(places.grain(i + 1) / places.grain(i) - std::sqrt(2)) < 1e-9);
}

} // namespace
} // namespace treadle::decide
