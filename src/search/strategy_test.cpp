#include "search/strategy.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <set>

namespace {

using namespace treadle::tune;
using treadle::search_strategy;
using treadle::search_strategy_from_name;

constexpr search_strategy k_all[] = {
    search_strategy::local_ucb,   search_strategy::exhaustive,          search_strategy::random,
    search_strategy::nelder_mead, search_strategy::parallel_rank_order, search_strategy::published_rank_order};
constexpr search_strategy k_freezing[] = {search_strategy::exhaustive, search_strategy::random,
                                          search_strategy::nelder_mead, search_strategy::parallel_rank_order,
                                          search_strategy::published_rank_order};

space line(std::uint32_t size) { return space(std::vector<dimension>{{size}}); }

arm middle(const space& of) {
  std::vector<std::uint32_t> indices;
  for (const dimension& d : of.dimensions()) indices.push_back(d.size / 2);
  return of.point(indices);
}

using cost_function = std::function<double(arm)>;

/// How many windows until it has converged, at most `most`.
unsigned run(strategy& s, const cost_function& x, unsigned most) {
  for (unsigned windows = 0; windows < most; ++windows) {
    if (s.converged()) return windows;
    const arm at = s.next();
    s.report(at, x(at));
  }
  return most;
}

/// A valley in each dimension.
cost_function valley(const space& over, std::vector<double> bottom) {
  return [&over, bottom](arm at) {
    double x = 0;
    for (std::size_t d = 0; d < bottom.size(); ++d) {
      const double away = (over.index(at, d) - bottom[d]) / over.dimensions()[d].size;
      x += away * away * 4;
    }
    return x;
  };
}

TEST(space, counts_its_points_and_moves_along_dimensions) {
  const space over({{3}, {4}, {1}});
  EXPECT_EQ(over.size(), 12u);
  std::set<arm> seen;
  for (std::uint32_t a = 0; a < 3; ++a) {
    for (std::uint32_t b = 0; b < 4; ++b) {
      const arm at = over.point(std::vector<std::uint32_t>{a, b, 0});
      EXPECT_EQ(over.index(at, 0), a);
      EXPECT_EQ(over.index(at, 1), b);
      EXPECT_EQ(over.index(at, 2), 0u);
      seen.insert(at);
      arm to = at;
      EXPECT_EQ(over.move(to, 1, -1), b > 0);
      EXPECT_EQ(over.index(to, 1), b > 0 ? b - 1 : b);
      EXPECT_EQ(over.index(to, 0), a);
    }
  }
  EXPECT_EQ(seen.size(), 12u);
}

TEST(space, refuses_what_cannot_be_searched) {
  EXPECT_THROW(space({}), std::invalid_argument);
  EXPECT_THROW(space({{3}, {0}}), std::invalid_argument);
  EXPECT_THROW(space({{1u << 30}, {1u << 30}}), std::invalid_argument);
}

TEST(strategy, names_are_known_and_others_refused) {
  for (const search_strategy s : k_all) EXPECT_EQ(search_strategy_from_name(treadle::to_string(s)), s);
  try {
    search_strategy_from_name("best");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("nelder-mead"), std::string::npos) << e.what();
  }
}

TEST(strategy, finds_the_bottom_of_a_valley_in_one_dimension) {
  for (const std::uint32_t bottom : {0u, 3u, 17u, 38u, 39u}) {
    const space over = line(40);
    const auto x = valley(over, {static_cast<double>(bottom)});
    for (const search_strategy kind : k_all) {
      const auto s = make_strategy({.how = kind, .seed = 7}, over, middle(over));
      run(*s, x, 2000);
      EXPECT_LT(x(s->best()), 4 * 2.0 * 2.0 / 1600)
          << treadle::to_string(kind) << " found " << s->best() << ", not " << bottom; // within two steps
    }
  }
}

TEST(strategy, finds_the_bottom_of_a_valley_in_two_dimensions) {
  const space over({{12}, {20}});
  const auto x = valley(over, {9, 4});
  for (const search_strategy kind : k_all) {
    const auto s = make_strategy({.how = kind, .seed = 3}, over, middle(over));
    run(*s, x, 4000);
    EXPECT_LT(x(s->best()), 0.08) << treadle::to_string(kind); // two steps off along both is 0.15
  }
}

TEST(strategy, one_that_freezes_does_so_and_stays_with_its_best) {
  const space over({{9}, {9}});
  const auto x = valley(over, {2, 2});
  for (const search_strategy kind : k_freezing) {
    const auto s = make_strategy({.how = kind, .seed = 5}, over, middle(over));
    EXPECT_LT(run(*s, x, 5000), 5000u) << treadle::to_string(kind);
    EXPECT_TRUE(s->freezes());
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(s->next(), s->best()) << treadle::to_string(kind);
      s->report(s->next(), 100.0 * i);
    }
    s->restart(0);
    EXPECT_FALSE(s->converged()) << treadle::to_string(kind);
    EXPECT_LT(run(*s, valley(over, {7, 7}), 5000), 5000u);
    EXPECT_LT(valley(over, {7, 7})(s->best()), 0.3) << treadle::to_string(kind);
  }
}

TEST(strategy, every_one_works_where_there_is_little_to_choose) {
  for (const search_strategy kind : k_all) {
    for (const auto& dimensions : {std::vector<dimension>{{1}}, {{1}, {1}}, {{2}}, {{1}, {3}, {1}}, {{2, false}}}) {
      const space over(dimensions);
      for (arm start = 0; start < over.size(); ++start) {
        const auto s = make_strategy({.how = kind, .seed = 1}, over, start);
        run(*s, [](arm at) { return static_cast<double>(at); }, 1000);
        EXPECT_EQ(s->best(), 0u) << treadle::to_string(kind) << " over " << over.size();
      }
    }
  }
}

TEST(strategy, unordered_values_are_all_looked_at) {
  const space over({{12, false}});
  const auto x = [](arm at) { return at == 11 ? 0.0 : at % 2 == 0 ? 0.5 : 1.0; };
  for (const search_strategy kind : {search_strategy::local_ucb, search_strategy::exhaustive}) {
    const auto s = make_strategy({.how = kind, .seed = 1}, over, 0);
    run(*s, x, 1000);
    EXPECT_EQ(s->best(), 11u) << treadle::to_string(kind);
  }
}

TEST(strategy, no_neighbourhood_leads_from_one_unordered_value_to_another) {
  const space over({{5}, {3, false}});
  const auto x = [&](arm at) { return 0.2 * std::abs(over.index(at, 0) - 1.0) + (over.index(at, 1) == 2 ? 0.0 : 0.4); };
  const auto s = make_strategy({.seed = 1}, over, 4);
  run(*s, x, 1500);
  EXPECT_EQ(over.index(s->best(), 0), 1u);
  EXPECT_EQ(over.index(s->best(), 1), 2u);
}

/// Why there are two: costs go down to the right, and each measurement is off by up to 30 %.
TEST(rank_order, the_repaired_search_ends_nearer_to_the_best_than_the_published) {
  const space over = line(64);
  double away[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const bool published : {false, true}) {
      const auto s = published ? make_published_rank_order(over, 0, seed) : make_parallel_rank_order(over, 0, seed);
      treadle::detail::xorshift random(seed);
      const auto noise = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 * 0.3; };
      EXPECT_LT(run(*s, [&](arm at) { return 1 - static_cast<double>(at) / 64 + noise(); }, 10'000), 10'000u);
      away[published] += 63 - static_cast<double>(s->best());
    }
  }
  EXPECT_LT(1.2 * away[0], away[1]);
}

TEST(local_ucb, never_freezes_and_finds_what_becomes_better) {
  const space over = line(16);
  const auto s = make_strategy({.seed = 1}, over, 3);
  const auto after = [](arm at) { return at >= 6 && at <= 7 ? -0.3 : 0.0; };
  run(*s, valley(over, {3}), 1000);
  EXPECT_EQ(s->best(), 3u);
  run(*s, after, 4000);
  EXPECT_LT(after(s->best()), 0);
  EXPECT_FALSE(s->converged());
  EXPECT_FALSE(s->freezes());
}

TEST(local_ucb, is_settled_when_nothing_around_the_best_is_new) {
  const space over = line(9);
  const auto s = make_strategy({.seed = 1}, over, 4);
  EXPECT_FALSE(s->settled());
  int windows = 0;
  for (; !s->settled(); ++windows) {
    s->report(s->next(), valley(over, {6})(s->next()));
    static_cast<void>(s->next());
  }
  EXPECT_EQ(s->best(), 6u);
  EXPECT_LT(windows, 40);
  s->restart(0);
  EXPECT_FALSE(s->settled());
}

TEST(local_ucb, keeps_few_of_many_points) {
  const space over({{5000}, {5000}});
  const auto s = make_strategy({.seed = 1}, over, 0);
  const auto x = valley(over, {2500, 100});
  run(*s, x, 20'000);
  EXPECT_LT(x(s->best()), x(0) / 4);
}

TEST(local_ucb, many_unordered_values_do_not_keep_it_from_its_best) {
  for (const auto& dimensions : {std::vector<dimension>{{1000, false}}, {{300, false}, {300, false}, {9}}}) {
    const space over(dimensions);
    const auto s = make_strategy({.seed = 1}, over, 0);
    const auto x = [](arm at) { return at == 5 ? 0.0 : 1.0; };
    run(*s, x, 2000);
    unsigned at_best = 0;
    for (int i = 0; i < 1000; ++i) {
      at_best += s->next() == 5;
      s->report(s->next(), x(s->next()));
    }
    EXPECT_GT(at_best, 500u) << over.size();
  }
}

TEST(local_ucb, knows_from_believing) {
  const auto s = make_strategy({.seed = 1}, line(8), 0);
  for (arm at = 0; at < 8; ++at) s->believe(at, at == 5 ? -0.5 : 0.5, 4);
  EXPECT_EQ(s->best(), 5u);
}

/// What it chooses while the costs are those of a noisy surface.
std::vector<arm> choices(search_strategy kind, const space& over, std::uint64_t seed, unsigned windows) {
  const auto s = make_strategy({.how = kind, .seed = seed}, over, middle(over));
  treadle::detail::xorshift noise(99);
  std::vector<arm> chosen;
  for (unsigned i = 0; i < windows; ++i) {
    chosen.push_back(s->next());
    s->report(chosen.back(), valley(over, {2, 5})(chosen.back()) + noise.below(1000) * 1e-4);
  }
  return chosen;
}

TEST(strategy, choices_depend_on_the_seed_and_the_reports_only) {
  const space over({{8}, {8}});
  for (const search_strategy kind : k_all)
    EXPECT_EQ(choices(kind, over, 11, 500), choices(kind, over, 11, 500)) << treadle::to_string(kind);
  EXPECT_NE(choices(search_strategy::random, over, 1, 50), choices(search_strategy::random, over, 2, 50));
}

TEST(strategy, stays_inside_whatever_is_reported) {
  rc::check([] {
    std::vector<dimension> dimensions;
    const auto count = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t d = 0; d < count; ++d)
      dimensions.push_back({*rc::gen::inRange(1u, 6u), *rc::gen::arbitrary<bool>()});
    const space over(dimensions);
    const auto kind = *rc::gen::elementOf(std::vector<search_strategy>(std::begin(k_all), std::end(k_all)));
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto s = make_strategy({.how = kind, .seed = seed}, over, *rc::gen::inRange<arm>(0, over.size()));
    for (int i = 0; i < 300; ++i) {
      const arm at = s->next();
      RC_ASSERT(at < over.size());
      RC_ASSERT(s->next() == at);
      RC_ASSERT(s->best() < over.size());
      s->report(at, *rc::gen::inRange(-1000, 1000) * 0.01);
    }
  });
}

TEST(local_ucb, one_spike_decides_nothing_for_long) {
  const space over = line(2);
  for (int spike = 0; spike < 20; ++spike) {
    const auto s = make_strategy({.seed = 1}, over, 0);
    for (int i = 0; i < 1000; ++i) s->report(s->next(), (s->next() == 1 ? 0.26 : 0) + (i == spike ? 3.0 : 0));
    EXPECT_EQ(s->best(), 0u) << spike;
  }
}

} // namespace
