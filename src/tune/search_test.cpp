#include "tune/search.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace {

using namespace treadle::tune;
using treadle::aggregate;
using treadle::search_options;
using treadle::search_strategy;
using treadle::tuned_point;

constexpr double k_infinity = std::numeric_limits<double>::infinity();

space line(std::uint32_t size) { return space(std::vector<dimension>{{size}}); }

class noise {
 public:
  explicit noise(std::uint64_t seed) : m_random(seed) {}
  /// About normal, of deviation 1.
  double operator()() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum - 6;
  }
  double uniform() { return static_cast<double>(m_random() >> 11) * 0x1p-53; }

 private:
  treadle::detail::xorshift m_random;
};

void run(search& s, const std::function<double(arm)>& cost, unsigned samples) {
  for (unsigned i = 0; i < samples; ++i) {
    const arm at = s.next();
    s.report(at, cost(at));
  }
}

TEST(drift, hears_a_shift_soon_and_noise_never) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    noise random(seed);
    drift_detector d;
    for (int i = 0; i < 20'000; ++i) ASSERT_FALSE(d.add(5 + 0.1 * random())) << seed << ", window " << i;
    int delay = 0;
    while (!d.add(5.3 + 0.1 * random())) ++delay;
    EXPECT_LT(delay, 25) << seed;
  }
}

TEST(drift, hears_an_improvement_as_well) {
  drift_detector d;
  for (int i = 0; i < 100; ++i) ASSERT_FALSE(d.add(1));
  int delay = 0;
  while (!d.add(0.5)) ++delay;
  EXPECT_LT(delay, 10);
}

TEST(search, a_window_is_what_its_samples_say) {
  for (unsigned count = 2; count <= 9; ++count) {
    for (const aggregate by : {aggregate::minimum, aggregate::median, aggregate::mean}) {
      search s(line(1), 0, {.repeats = count, .by = by});
      for (unsigned i = 0; i < count; ++i) {
        EXPECT_EQ(s.windows(), 0u);
        s.report(s.next(), std::exp((i * 5 + 2) % count)); // a permutation of 0 .. count-1, but for 5
      }
      ASSERT_EQ(s.windows(), 1u);
      std::vector<double> values;
      for (unsigned i = 0; i < count; ++i) values.push_back((i * 5 + 2) % count);
      std::sort(values.begin(), values.end());
      double expected = values.front();
      if (by == aggregate::median) expected = (values[(count - 1) / 2] + values[count / 2]) / 2;
      if (by == aggregate::mean) {
        expected = 0;
        for (const double v : values) expected += v / count;
      }
      EXPECT_NEAR(s.records().front().mean, expected, 1e-8) << count << " " << static_cast<int>(by);
    }
  }
}

TEST(search, what_settles_is_not_counted) {
  search s(line(2), 0, {.how = search_strategy::exhaustive, .settling = 2, .budget = 0});
  std::vector<arm> seen;
  for (int i = 0; i < 6; ++i) {
    seen.push_back(s.next());
    s.report(seen.back(), i % 3 == 2 ? 1.0 : 1000.0);
  }
  EXPECT_EQ(seen, (std::vector<arm>{0, 0, 0, 1, 1, 1}));
  for (const tuned_point& p : s.records()) EXPECT_NEAR(p.mean, 0, 1e-8);
}

TEST(search, what_settles_is_paid_for) {
  for (const double work : {100.0, 25.0}) {
    search s(line(2), 0, {.how = search_strategy::exhaustive, .settling = 1, .budget = 0});
    while (s.next() == 0) s.report(0, 1, 100);
    ASSERT_TRUE(s.is_settling());
    s.report(1, 3, work);
    EXPECT_NEAR(s.regret(), 2 * work / 100, 1e-6);
    EXPECT_EQ(s.next(), 1u);
    s.report(1, 3, 2 * work);
    EXPECT_NEAR(s.regret(), 6 * work / 100, 1e-6);
    EXPECT_EQ(s.records().front().windows, 1u);
  }
}

TEST(search, one_spike_is_not_all_that_is_ever_paid) {
  search s(line(2), 0, {.how = search_strategy::exhaustive, .settling = 1, .budget = 0});
  while (s.next() == 0) s.report(0, 1);
  s.report(1, 1e300);
  EXPECT_LT(s.regret(), 1000);
}

TEST(search, says_nothing_about_what_is_no_cost) {
  search s(line(4), 0, {.how = search_strategy::exhaustive, .budget = 0});
  const arm first = s.next();
  for (const double cost : {std::nan(""), k_infinity, -k_infinity, -1.0, 0.0}) s.report(first, cost);
  EXPECT_EQ(s.voids(), 5u);
  EXPECT_EQ(s.windows(), 0u);
  EXPECT_EQ(s.next(), first);
  s.report(first + 1, 1); // nobody asked for that
  EXPECT_EQ(s.voids(), 6u);
  EXPECT_EQ(s.windows(), 0u);
  // The rule does not wait for ever.
  for (int i = 0; i < 5; ++i) s.report(first, std::nan(""));
  EXPECT_EQ(s.windows(), 1u);
  EXPECT_NE(s.next(), first);
}

TEST(search, goes_round_what_does_not_work) {
  for (const auto how : {search_strategy::automatic, search_strategy::exhaustive, search_strategy::hill_climb}) {
    search s(line(8), 4, {.how = how, .budget = 0});
    for (int i = 0; i < 200; ++i) {
      const arm at = s.next();
      if (at >= 3)
        s.fail(at);
      else
        s.report(at, 1.0 + 0.1 * static_cast<double>(at));
    }
    EXPECT_EQ(s.best(), 0u) << treadle::to_string(how);
  }
}

TEST(search, finds_the_best_in_noise) {
  for (const auto how : {search_strategy::automatic, search_strategy::exhaustive, search_strategy::hill_climb,
                         search_strategy::parallel_rank_order, search_strategy::nelder_mead}) {
    double excess = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      noise random(seed);
      search s(line(12), 1, {.how = how, .repeats = 3, .seed = seed});
      const auto meant = [](arm at) { return 1 + 0.05 * std::abs(static_cast<double>(at) - 7); };
      run(s, [&](arm at) { return meant(at) * std::exp(0.05 * random()); }, 1500);
      excess += meant(s.best()) - 1;
    }
    EXPECT_LT(excess / 20, 0.05) << treadle::to_string(how);
  }
}

TEST(search, one_lucky_sample_does_not_win) {
  // Point 9 is bad, but its first sample is the lowest of all.
  search s(line(10), 0, {.how = search_strategy::exhaustive, .budget = 0});
  bool lucky = true;
  run(
      s,
      [&](arm at) {
        return at == 9 ? (std::exchange(lucky, false) ? 0.5 : 3.0)
                       : 1.0 + 0.01 * (static_cast<double>(at) - 4) * (static_cast<double>(at) - 4);
      },
      40);
  EXPECT_TRUE(s.converged());
  EXPECT_EQ(s.best(), 4u);
}

TEST(search, begins_again_when_costs_change_for_good) {
  for (const auto how : {search_strategy::automatic, search_strategy::exhaustive, search_strategy::hill_climb}) {
    unsigned phase = 0;
    noise random(3);
    const auto cost = [&](arm at) {
      const double away = std::abs(static_cast<double>(at) - (phase == 0 ? 2.0 : 9.0));
      return (1 + 0.1 * away) * std::exp(0.02 * random());
    };
    search s(line(12), 6, {.how = how});
    run(s, cost, 1000);
    EXPECT_NEAR(static_cast<double>(s.best()), 2, 1) << treadle::to_string(how);
    EXPECT_EQ(s.epoch(), 0u) << treadle::to_string(how);
    phase = 1;
    run(s, cost, 2000);
    EXPECT_NEAR(static_cast<double>(s.best()), 9, 1) << treadle::to_string(how);
    EXPECT_GE(s.epoch(), 1u) << treadle::to_string(how);
    EXPECT_LE(s.epoch(), 3u) << treadle::to_string(how);
  }
}

TEST(search, a_frozen_one_stays) {
  search s(line(6), 0, {.how = search_strategy::exhaustive, .budget = 0, .drift = false});
  run(s, [](arm at) { return at == 2 ? 1.0 : 2.0; }, 100);
  EXPECT_EQ(s.best(), 2u);
  run(s, [](arm at) { return at == 2 ? 9.0 : 1.0; }, 1000);
  EXPECT_EQ(s.best(), 2u);
  EXPECT_EQ(s.epoch(), 0u);
}

TEST(search, the_unit_of_a_cost_changes_no_choice) {
  for (const auto how : {search_strategy::automatic, search_strategy::local_ucb, search_strategy::nelder_mead,
                         search_strategy::simulated_annealing, search_strategy::parallel_rank_order}) {
    std::vector<std::vector<arm>> chosen;
    for (const double unit : {1.0, 1e-9, 1e6, 3.0}) {
      noise random(17);
      search s(line(16), 5, {.how = how});
      auto& here = chosen.emplace_back();
      for (int i = 0; i < 600; ++i) {
        here.push_back(s.next());
        const double away = static_cast<double>(here.back()) - 11;
        s.report(here.back(), unit * (1 + 0.02 * away * away) * std::exp(0.05 * random()));
      }
    }
    for (const auto& other : chosen) EXPECT_EQ(other, chosen.front()) << treadle::to_string(how);
  }
}

TEST(search, tries_no_more_than_its_budget_allows) {
  for (const double budget : {0.01, 0.05}) {
    search s(line(200), 0, {.how = search_strategy::exhaustive, .budget = budget});
    run(s, [](arm at) { return at == 0 ? 1.0 : 3.0; }, 10'000);
    const double allowed = 4 + 0.2 * 64 + budget * 10'000 + 3;
    EXPECT_LE(s.regret(), allowed) << budget;
    EXPECT_GT(s.regret(), std::min(allowed - 5, 390.0)) << budget;
  }
}

TEST(search, does_not_try_where_it_must_not) {
  search s(line(9), 4, {});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(s.next(false), 4u);
    EXPECT_FALSE(s.is_trying());
    s.report(4, 1);
  }
}

TEST(search, begins_with_what_was_found_before) {
  const std::vector<tuned_point> known{
      {3, std::log(1.0), 0.02, 50}, {5, std::log(2.0), 0.02, 10}, {0, std::log(4.0), 0.02, 3}};
  for (const auto how : {search_strategy::automatic, search_strategy::exhaustive}) {
    search s(line(9), 8, {.how = how});
    s.believe(known);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(s.next(), 3u) << treadle::to_string(how);
      s.report(3, 1.01);
    }
    EXPECT_EQ(s.best(), 3u);
    EXPECT_EQ(s.epoch(), 0u);
    EXPECT_EQ(s.converged(), how == search_strategy::exhaustive);
  }
}

TEST(search, drops_what_does_not_hold_any_more) {
  for (const auto how : {search_strategy::automatic, search_strategy::exhaustive}) {
    search s(line(9), 8, {.how = how, .budget = 0});
    s.believe({{3, std::log(1.0), 0.02, 50}});
    run(s, [](arm at) { return at == 6 ? 1.5 : 2.5; }, 300);
    EXPECT_EQ(s.epoch(), 1u) << treadle::to_string(how);
    EXPECT_EQ(s.best(), 6u) << treadle::to_string(how);
  }
}

TEST(search, what_was_found_before_is_judged_by_its_own_windows) {
  search s(line(9), 8, {});
  s.believe({{3, std::log(1.0), 0.02, 3}, {5, std::log(1.1), 0.02, 3}});
  for (const double cost : {1.3, 0.8, 0.96}) { // 5 looks better after the first one
    EXPECT_EQ(s.next(), 3u);
    EXPECT_FALSE(s.is_trying());
    s.report(3, cost);
  }
  EXPECT_EQ(s.epoch(), 0u);
}

TEST(search, an_interrupted_window_says_nothing) {
  search s(line(9), 4, {.how = search_strategy::exhaustive, .repeats = 2, .budget = 0});
  run(s, [](arm) { return 1.0; }, 3); // half of the second window
  s.interrupt();
  EXPECT_NE(s.next(false), s.next(true)) << "the best, and then a try";
  EXPECT_EQ(s.windows(), 1u);
}

TEST(search, believes_nothing_that_is_not_there) {
  search s(line(3), 1, {});
  s.believe({});
  s.believe({{77, 0, 0, 5}});
  EXPECT_EQ(s.next(), 1u);
}

TEST(search, records_are_costs_as_reported) {
  search s(line(2), 0, {.how = search_strategy::exhaustive, .budget = 0});
  run(s, [](arm at) { return at == 0 ? 250.0 : 500.0; }, 50);
  for (const tuned_point& p : s.records()) EXPECT_NEAR(std::exp(p.mean), p.at == 0 ? 250 : 500, 1e-3);
}

} // namespace
