#include "loop/state.hpp"

#include "loop/simulated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace {

using namespace treadle::loop;
using treadle::search_options;
using treadle::search_strategy;
using treadle::tuned_point;
using treadle::tune::dimension;
using treadle::tune::space;

constexpr double k_infinity = std::numeric_limits<double>::infinity();

space line(std::uint32_t size) { return space(std::vector<dimension>{{size}}); }

/// Samples are windows, unless a test says otherwise.
search_options windows_of_one(search_options wanted) {
  wanted.window_ns = 0;
  return wanted;
}

class noise {
 public:
  explicit noise(std::uint64_t seed) : m_random(seed) {}
  /// About normal, of deviation 1.
  double operator()() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(m_random() >> 11) * 0x1p-53;
    return sum - 6;
  }

 private:
  treadle::detail::xorshift m_random;
};

void run(state& s, const std::function<double(arm)>& cost, unsigned samples) {
  for (unsigned i = 0; i < samples; ++i) {
    const arm at = s.next();
    s.report(at, {cost(at)});
  }
}

TEST(window, is_long_enough_and_its_cost_is_that_of_all_its_work) {
  window w;
  EXPECT_TRUE(w.is_empty());
  w.add({2, 10, 500});
  EXPECT_FALSE(w.is_complete(1000, 1));
  w.add({5, 20, 500});
  EXPECT_TRUE(w.is_complete(1000, 1));
  EXPECT_FALSE(w.is_complete(1000, 3));
  EXPECT_DOUBLE_EQ(w.cost(), 4);
}

TEST(state, a_window_is_as_long_as_it_is_told_to_be) {
  state s(line(2), 0, {.how = search_strategy::exhaustive, .window_ns = 1000, .repeats = 2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(s.report(s.next(), {2, 1, 300}).completes_window);
    EXPECT_EQ(s.next(), 0u);
  }
  EXPECT_TRUE(s.report(s.next(), {6, 1, 300}).completes_window);
  EXPECT_NEAR(std::exp(s.records().front().mean), 3, 1e-6);
  EXPECT_FALSE(s.report(s.next(), {2, 1, 5000}).completes_window) << "two samples";
  EXPECT_TRUE(s.report(s.next(), {2, 1, 1}).completes_window);
}

TEST(state, what_settles_is_not_counted) {
  state s(line(2), 0, windows_of_one({.how = search_strategy::exhaustive, .settling = 2}));
  std::vector<arm> seen;
  for (int i = 0; i < 6; ++i) {
    seen.push_back(s.next());
    s.report(seen.back(), {i % 3 == 2 ? 1.0 : 1000.0});
  }
  EXPECT_EQ(seen, (std::vector<arm>{0, 0, 0, 1, 1, 1}));
  for (const tuned_point& p : s.records()) EXPECT_NEAR(p.mean, 0, 1e-8);
}

TEST(state, what_settles_is_paid_for) {
  state s(line(2), 0, {.how = search_strategy::exhaustive, .window_ns = 0, .settling = 1});
  while (s.next() == 0) s.report(0, {1, 1, 100});
  EXPECT_NEAR(s.report(1, {4, 1, 400}).lost_ns, 300, 1e-6);
  EXPECT_EQ(s.next(), 1u);
  EXPECT_NEAR(s.report(1, {4, 1, 800}).lost_ns, 600, 1e-6);
  EXPECT_NEAR(s.exploring_ns(), 900, 1e-6);
  EXPECT_EQ(s.records().front().windows, 1u);
}

TEST(state, no_more_than_all_of_the_time_is_lost) {
  state s(line(2), 0, {.how = search_strategy::exhaustive, .window_ns = 0, .settling = 1});
  while (s.next() == 0) s.report(0, {1, 1, 100});
  EXPECT_LE(s.report(1, {1e300, 1, 1000}).lost_ns, 1000);
}

TEST(state, says_nothing_about_what_is_no_cost) {
  state s(line(4), 0, windows_of_one({.how = search_strategy::exhaustive}));
  const arm first = s.next();
  for (const double cost : {std::nan(""), k_infinity, -k_infinity, -1.0, 0.0}) s.report(first, {cost});
  EXPECT_EQ(s.voids(), 5u);
  EXPECT_EQ(s.windows(), 0u);
  EXPECT_EQ(s.next(), first);
  s.report(first + 1, {1}); // nobody asked for that
  EXPECT_EQ(s.voids(), 6u);
  EXPECT_EQ(s.windows(), 0u);
  // The rule does not wait for ever.
  for (int i = 0; i < 5; ++i) s.report(first, {std::nan("")});
  EXPECT_EQ(s.windows(), 1u);
  EXPECT_NE(s.next(), first);
}

TEST(state, goes_round_what_does_not_work) {
  for (const auto how : {search_strategy::local_ucb, search_strategy::exhaustive, search_strategy::nelder_mead}) {
    state s(line(8), 4, windows_of_one({.how = how}));
    for (int i = 0; i < 200; ++i) {
      const arm at = s.next();
      if (at >= 3)
        s.fail(at);
      else
        s.report(at, {1.0 + 0.1 * static_cast<double>(at)});
    }
    EXPECT_EQ(s.best(), 0u) << treadle::to_string(how);
  }
}

TEST(state, finds_the_best_in_noise) {
  for (const auto how : {search_strategy::local_ucb, search_strategy::exhaustive, search_strategy::parallel_rank_order,
                         search_strategy::nelder_mead}) {
    double excess = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      noise random(seed);
      state s(line(12), 1, windows_of_one({.how = how, .repeats = 3, .seed = seed}));
      const auto meant = [](arm at) { return 1 + 0.05 * std::abs(static_cast<double>(at) - 7); };
      run(s, [&](arm at) { return meant(at) * std::exp(0.05 * random()); }, 1500);
      excess += meant(s.best()) - 1;
    }
    EXPECT_LT(excess / 20, 0.05) << treadle::to_string(how);
  }
}

TEST(state, one_lucky_sample_does_not_win) {
  // Point 9 is bad, but its first sample is the lowest of all.
  state s(line(10), 0, windows_of_one({.how = search_strategy::exhaustive}));
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

TEST(state, begins_again_when_costs_change_for_good) {
  for (const auto how : {search_strategy::local_ucb, search_strategy::exhaustive, search_strategy::nelder_mead}) {
    unsigned phase = 0;
    noise random(3);
    const auto cost = [&](arm at) {
      const double away = std::abs(static_cast<double>(at) - (phase == 0 ? 2.0 : 9.0));
      return (1 + 0.1 * away) * std::exp(0.02 * random());
    };
    state s(line(12), 6, windows_of_one({.how = how}));
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

// All costs change at once, by a fifth, at 4 % noise: what is tried next must not look better than what was best for
// being measured later.
TEST(state, a_change_of_all_costs_is_told_whatever_is_tried_meanwhile) {
  constexpr int k_runs = 200;
  for (const double factor : {0.8, 1.2}) {
    for (const double share : {0.01, 0.0}) {
      int late = 0, wrong = 0;
      for (unsigned run = 0; run < k_runs; ++run) {
        state s(space({dimension{16}}), 4, {.seed = run + 1});
        simulated program(s, share, run + 1000);
        double scale = 1;
        const auto cost = [&](arm at) { return 2e6 * scale * (1 + 0.03 * std::abs(static_cast<double>(at) - 8)); };
        for (int i = 0; i < 100; ++i) program.run(cost, 1, 0.04);
        const unsigned before = s.epoch();
        scale = factor;
        for (int i = 0; i < 30; ++i) program.run(cost, 1, 0.04);
        late += s.epoch() == before;
        for (int i = 0; i < 2000; ++i) program.run(cost, 1, 0.04);
        wrong += cost(s.best()) > 1.05 * cost(8);
      }
      EXPECT_LE(late, k_runs / 10) << factor << ' ' << share;
      EXPECT_EQ(wrong, 0) << factor << ' ' << share;
    }
  }
}

TEST(state, what_is_to_be_tried_first_is_and_its_best_leads_at_once) {
  state s(line(100), 0, windows_of_one({}), {99, 50});
  const auto cost = [](arm at) { return 1 + std::abs(static_cast<double>(at) - 90); };
  std::vector<arm> tried;
  for (int i = 0; i < 4; ++i) {
    tried.push_back(s.next());
    s.report(tried.back(), {cost(tried.back())});
  }
  EXPECT_EQ(tried[0], 0u);
  EXPECT_EQ(tried[1], 99u);
  EXPECT_EQ(tried[2], 50u);
  EXPECT_EQ(s.best(), 99u); // though the start has been measured once only
  EXPECT_EQ(tried[3], 95u); // its neighbours come next
  s.reopen();
  EXPECT_EQ(s.next(), 99u);
  s.report(99, {cost(99)});
  EXPECT_EQ(s.next(), 50u); // the other one is known
}

TEST(state, what_is_to_be_tried_first_may_be_refused) {
  state s(line(100), 0, windows_of_one({}), {99, 50});
  s.report(s.next(), {1});
  EXPECT_EQ(s.wanted(), 99u);
  s.refuse(99);
  EXPECT_EQ(s.wanted(), 50u);
}

TEST(state, what_is_to_be_tried_first_is_known_from_an_earlier_run) {
  state s(line(100), 0, windows_of_one({}), {99, 50});
  s.believe({{90, 0.0, 0.02, 10}, {91, 0.1, 0.02, 10}});
  for (int i = 0; i < 20; ++i) {
    const arm at = s.next();
    EXPECT_NE(at, 99u);
    EXPECT_NE(at, 50u);
    s.report(at, {1 + 0.1 * std::abs(static_cast<double>(at) - 90)});
  }
}

TEST(state, a_frozen_one_stays) {
  state s(line(6), 0, windows_of_one({.how = search_strategy::exhaustive, .drift = false}));
  run(s, [](arm at) { return at == 2 ? 1.0 : 2.0; }, 100);
  EXPECT_EQ(s.best(), 2u);
  run(s, [](arm at) { return at == 2 ? 9.0 : 1.0; }, 1000);
  EXPECT_EQ(s.best(), 2u);
  EXPECT_EQ(s.epoch(), 0u);
}

TEST(state, the_unit_of_a_cost_changes_no_choice) {
  for (const auto how :
       {search_strategy::local_ucb, search_strategy::nelder_mead, search_strategy::parallel_rank_order}) {
    std::vector<std::vector<arm>> chosen;
    for (const double unit : {1.0, 1e-9, 1e6, 3.0}) {
      noise random(17);
      state s(line(16), 5, windows_of_one({.how = how}));
      auto& here = chosen.emplace_back();
      for (int i = 0; i < 600; ++i) {
        here.push_back(s.next());
        const double away = static_cast<double>(here.back()) - 11;
        s.report(here.back(), {unit * (1 + 0.02 * away * away) * std::exp(0.05 * random())});
      }
    }
    for (const auto& other : chosen) EXPECT_EQ(other, chosen.front()) << treadle::to_string(how);
  }
}

TEST(state, tries_lose_no_more_than_their_share_of_the_time) {
  for (const double share : {0.01, 0.05}) {
    for (const auto how : {search_strategy::exhaustive, search_strategy::local_ucb, search_strategy::nelder_mead}) {
      state s(line(200), 0, {.how = how});
      simulated program(s, share);
      constexpr int k_windows = 10'000;
      for (int i = 0; i < k_windows; ++i) program.run([](arm at) { return at == 0 ? 2e6 : 6e6; });
      const double lost = program.spent_ns() / (k_windows * 2e6) - 1;
      EXPECT_LT(lost, share * 1.2) << treadle::to_string(how);
      EXPECT_GT(lost, 0);
    }
  }
}

TEST(state, the_first_window_shows_how_long_one_is) {
  state s(line(9), 4, {.how = search_strategy::exhaustive});
  EXPECT_EQ(s.next_loss_ns(), k_infinity);
  EXPECT_EQ(s.next(1e12), 4u);
  s.report(4, {1, 1, 3e6});
  EXPECT_NEAR(s.next_loss_ns(), 0.9e6, 1e-3);
  EXPECT_EQ(s.next(1e5), 4u);
  EXPECT_EQ(s.next(1e6), 0u);
}

TEST(state, a_try_that_has_begun_is_not_taken_back) {
  state s(line(3), 0, {.how = search_strategy::exhaustive, .settling = 1});
  while (s.next() == 0) s.report(0, {1, 1, 2e6});
  s.report(1, {1, 1, 1e6}); // settles
  EXPECT_EQ(s.next(state::k_no_tries), 1u);
  s.report(1, {1, 1, 1e6});
  EXPECT_EQ(s.next(state::k_no_tries), 1u);
  EXPECT_TRUE(s.report(1, {1, 1, 1e6}).completes_window);
  EXPECT_EQ(s.next(state::k_no_tries), 0u);
}

TEST(state, looks_behind_a_worse_neighbour_though_changes_have_to_settle) {
  for (const unsigned settling : {0u, 1u}) {
    state s(line(7), 3, {.settling = settling});
    simulated program(s);
    for (int i = 0; i < 20'000; ++i)
      program.run([](arm at) { return at > 3 ? 1.3e6 : 1e6 * std::pow(0.8, 3 - static_cast<double>(at)); });
    EXPECT_EQ(s.best(), 0u) << settling;
  }
}

TEST(state, long_windows_are_tried_as_well) {
  state s(line(3), 0, {.how = search_strategy::exhaustive});
  simulated program(s);
  for (int i = 0; i < 5'000; ++i) program.run([](arm at) { return at == 2 ? 20e9 : 30e9; });
  EXPECT_EQ(s.best(), 2u);
}

TEST(state, one_that_was_stopped_for_an_hour_is_no_disaster) {
  state s(line(2), 0, {});
  account a(0.01);
  std::int64_t now_ns = 1;
  a.credit_ns(now_ns);
  const auto run = [&](double ns) {
    now_ns += static_cast<std::int64_t>(ns);
    a.spend(s.report(s.present(), {ns, 1, ns}).lost_ns);
  };
  while (s.next(a.credit_ns(now_ns, s.next_loss_ns())) == 0) run(2e6);
  run(3.6e12);
  EXPECT_GT(a.credit_ns(now_ns + 10'000'000'000), 0);
}

TEST(state, a_choice_that_stops_giving_costs_is_given_up) {
  state s(line(2), 0, windows_of_one({}));
  int tried = 0;
  for (int i = 0; i < 2000; ++i) {
    const arm at = s.next();
    tried += at == 1;
    s.report(at, {at == 0 ? 1.0 : i < 20 ? 1.1 : std::nan(""), 1, 1});
  }
  EXPECT_LT(tried, 400);
  EXPECT_EQ(s.best(), 0u);
}

TEST(state, what_fails_or_is_interrupted_is_paid_for) {
  state s(line(3), 0, {.how = search_strategy::exhaustive});
  while (s.next() == 0) s.report(0, {1, 1, 2e6});
  EXPECT_GT(s.fail(1, 5e6).lost_ns, 4e6);
  EXPECT_EQ(s.next(), 2u);
  s.report(2, {1, 1, 1e6});
  EXPECT_GT(s.interrupt(), 0);
}

TEST(state, costs_that_cannot_be_added_are_ignored) {
  state s(line(1), 0, {.window_ns = 0, .repeats = 2});
  const double most = std::numeric_limits<double>::max();
  for (int i = 0; i < 2; ++i) s.report(s.next(), {most, 1, 1});
  EXPECT_EQ(s.windows(), 0u);
  for (const tuned_point& p : s.records()) EXPECT_TRUE(std::isfinite(p.mean));
}

TEST(account, earns_its_share_of_the_time) {
  account a(0.01);
  EXPECT_EQ(a.credit_ns(1000), 0);
  EXPECT_DOUBLE_EQ(a.credit_ns(101'000), 1000);
  a.spend(1500);
  EXPECT_DOUBLE_EQ(a.credit_ns(101'000), -500);
  EXPECT_DOUBLE_EQ(a.credit_ns(151'000), 0);
  EXPECT_NEAR(a.credit_ns(std::int64_t{3'600'000'000'000}), 1e9, 1);         // of a hundred seconds, not of an hour
  EXPECT_NEAR(a.credit_ns(std::int64_t{7'200'000'000'000}, 5e9), 10e9, 1e9); // who needs more saves more
  EXPECT_EQ(account(0).credit_ns(5), k_infinity);
  account bounded(1e-9);
  bounded.credit_ns(1);
  for (int i = 0; i < 100; ++i) bounded.spend(20e9);
  EXPECT_LT(bounded.credit_ns(2), 0);
  account early(0.005);
  early.spend(1e6);
  EXPECT_EQ(early.credit_ns(1'000'000'000'000), 0); // nothing was earned before somebody asked
}

TEST(state, does_not_try_where_it_must_not) {
  state s(line(9), 4, windows_of_one({}));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(s.next(state::k_no_tries), 4u);
    EXPECT_FALSE(s.is_trying());
    s.report(4, {1});
  }
}

TEST(state, begins_with_what_was_found_before) {
  const std::vector<tuned_point> known{
      {3, std::log(1.0), 0.02, 50}, {5, std::log(2.0), 0.02, 10}, {0, std::log(4.0), 0.02, 3}};
  for (const auto how : {search_strategy::local_ucb, search_strategy::exhaustive}) {
    state s(line(9), 8, windows_of_one({.how = how}));
    s.believe(known);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(s.next(), 3u) << treadle::to_string(how);
      s.report(3, {1.01});
    }
    EXPECT_EQ(s.best(), 3u);
    EXPECT_EQ(s.epoch(), 0u);
    EXPECT_EQ(s.converged(), how == search_strategy::exhaustive);
  }
}

TEST(state, drops_what_does_not_hold_any_more) {
  for (const auto how : {search_strategy::local_ucb, search_strategy::exhaustive}) {
    state s(line(9), 8, windows_of_one({.how = how}));
    s.believe({{3, std::log(1.0), 0.02, 50}});
    run(s, [](arm at) { return 1.5 + 0.2 * std::abs(static_cast<double>(at) - 6); }, 300);
    EXPECT_EQ(s.epoch(), 1u) << treadle::to_string(how);
    EXPECT_EQ(s.best(), 6u) << treadle::to_string(how);
  }
}

TEST(state, what_was_found_before_is_judged_by_its_own_windows) {
  state s(line(9), 8, windows_of_one({}));
  s.believe({{3, std::log(1.0), 0.02, 3}, {5, std::log(1.1), 0.02, 3}});
  for (const double cost : {1.3, 0.8, 0.96}) { // 5 looks better after the first one
    EXPECT_EQ(s.next(), 3u);
    EXPECT_FALSE(s.is_trying());
    s.report(3, {cost});
  }
  EXPECT_EQ(s.epoch(), 0u);
}

TEST(state, an_interrupted_window_says_nothing) {
  state s(line(9), 4, windows_of_one({.how = search_strategy::exhaustive, .repeats = 2}));
  run(s, [](arm) { return 1.0; }, 3); // half of the second window
  s.interrupt();
  EXPECT_NE(s.next(state::k_no_tries), s.next()) << "the best, and then a try";
  EXPECT_EQ(s.windows(), 1u);
}

TEST(state, believes_nothing_that_is_not_there) {
  state s(line(3), 1, windows_of_one({}));
  s.believe({});
  s.believe({{77, 0, 0, 5}});
  EXPECT_EQ(s.next(), 1u);
}

TEST(state, records_are_costs_as_reported) {
  state s(line(2), 0, windows_of_one({.how = search_strategy::exhaustive}));
  run(s, [](arm at) { return at == 0 ? 250.0 : 500.0; }, 50);
  for (const tuned_point& p : s.records()) EXPECT_NEAR(std::exp(p.mean), p.at == 0 ? 250 : 500, 1e-3);
}

TEST(state, what_is_refused_is_not_wanted_any_more) {
  for (const search_strategy how : {search_strategy::local_ucb, search_strategy::exhaustive,
                                    search_strategy::nelder_mead, search_strategy::parallel_rank_order}) {
    state s(line(9), 2, windows_of_one({.how = how}));
    for (int i = 0; i < 300; ++i) {
      while (s.wanted() > 4) s.refuse(s.wanted());
      const arm at = s.next();
      ASSERT_LE(at, 4u) << treadle::to_string(how);
      s.report(at, {10.0 - static_cast<double>(at)});
    }
    EXPECT_EQ(s.best(), 4u) << treadle::to_string(how);
    EXPECT_EQ(s.converged(), how != search_strategy::local_ucb);
  }
}

TEST(state, a_best_that_is_refused_gives_way_to_what_is_known_or_begins_again_where_it_is_told) {
  state s(line(9), 2, windows_of_one({}));
  run(s, [](arm at) { return 10.0 - static_cast<double>(at); }, 200);
  ASSERT_EQ(s.best(), 8u);
  s.refuse(8);
  EXPECT_LT(s.best(), 8u);
  for (const tuned_point& p : s.records()) EXPECT_NE(p.at, 8u);
  state fresh(line(9), 2, windows_of_one({}));
  fresh.refuse(2);
  EXPECT_EQ(fresh.best(), 2u); // nothing else is known
  fresh.reopen(5);
  EXPECT_EQ(fresh.best(), 5u);
  EXPECT_EQ(fresh.next(state::k_no_tries), 5u);
}

} // namespace
