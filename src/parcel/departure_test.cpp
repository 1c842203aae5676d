#include "parcel/departure.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace treadle::detail {
namespace {

TEST(departure, two_waves_with_the_same_sums) {
  departure d(2);
  const auto wave = [&](std::uint64_t sent0, std::uint64_t received0, std::uint64_t sent1, std::uint64_t received1) {
    d.begin_wave();
    EXPECT_FALSE(d.is_wave_over());
    EXPECT_TRUE(d.answer(0, sent0, received0));
    EXPECT_FALSE(d.answer(0, sent0, received0)) << "once in a wave";
    EXPECT_FALSE(d.answer(2, 0, 0)) << "there is no such locality";
    EXPECT_TRUE(d.answer(1, sent1, received1));
    EXPECT_TRUE(d.is_wave_over());
    return d.may_leave();
  };
  EXPECT_FALSE(wave(3, 1, 1, 2)) << "one is on its way";
  EXPECT_FALSE(wave(3, 1, 1, 3)) << "the first time";
  EXPECT_TRUE(wave(3, 1, 1, 3));
  EXPECT_FALSE(wave(4, 1, 1, 4));
}

TEST(departure, without_any_parcel_takes_two_waves) {
  departure d(1);
  d.begin_wave();
  d.answer(0, 0, 0);
  EXPECT_FALSE(d.may_leave());
  d.begin_wave();
  d.answer(0, 0, 0);
  EXPECT_TRUE(d.may_leave());
}

/// Localities that send parcels, each of which may cause more, arrive late and are asked one by one: never let go while
/// one is on its way.
TEST(departure, of_random_programs) {
  xorshift random(17);
  for (int run = 0; run < 500; ++run) {
    const unsigned n = 1 + random.below(5);
    std::vector<std::uint64_t> sent(n), received(n);
    std::deque<unsigned> on_the_way; // to whom
    int budget = static_cast<int>(random.below(60));
    const auto send = [&](unsigned from) {
      if (n == 1 || budget-- <= 0) return;
      ++sent[from];
      on_the_way.push_back((from + 1 + random.below(n - 1)) % n);
    };
    const auto arrive = [&] {
      if (on_the_way.empty()) return;
      const std::size_t which = random.below(static_cast<std::uint32_t>(on_the_way.size()));
      const unsigned to = on_the_way[which];
      on_the_way.erase(on_the_way.begin() + static_cast<std::ptrdiff_t>(which));
      ++received[to];
      for (std::uint32_t more = random.below(3); more > 0; --more) send(to);
    };
    for (unsigned i = 0; i < n; ++i) send(i);
    departure d(n);
    for (int waves = 0;; ++waves) {
      ASSERT_LT(waves, 1000) << "it comes to an end";
      d.begin_wave();
      for (unsigned i = 0; i < n; ++i) {
        for (std::uint32_t more = random.below(4); more > 0; --more) arrive();
        d.answer(i, sent[i], received[i]);
      }
      if (d.may_leave()) break;
    }
    EXPECT_TRUE(on_the_way.empty());
  }
}

} // namespace
} // namespace treadle::detail
