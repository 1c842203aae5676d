// Kinds of decisions in programs that are simulated.
#include "loop/decision.hpp"

#include "loop/simulated.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace treadle::loop;
using treadle::search_strategy;
using treadle::tune::dimension;
using treadle::tune::space;

constexpr double k_ms = 1e6;

struct numbers final : choice_names {
  std::string operator()(arm at) const override { return std::to_string(at); }
  std::string all() const override { return "numbers"; }
};
const numbers k_numbers;

// Inline or spawn
// --------------------------------------------------------------------------------------------------------------------

state both_ways(arm start) { return state(space({{2, false}}), start, {}); }

TEST(inlining, the_better_way_is_found_for_little) {
  for (const arm start : {0u, 1u}) {
    for (const arm better : {0u, 1u}) {
      state s = both_ways(start);
      simulated program(s);
      constexpr int k_samples = 40'000;
      for (int i = 0; i < k_samples; ++i) program.run([&](arm at) { return at == better ? 1000 : 1800; }, 500, 0.05);
      EXPECT_EQ(s.best(), better);
      EXPECT_LT(program.spent_ns() / (k_samples * 500 * 1000.0) - 1, start == better ? 0.012 : 0.1);
    }
  }
}

TEST(inlining, a_change_is_followed) {
  state s = both_ways(0);
  simulated program(s);
  for (int i = 0; i < 10'000; ++i) program.run([](arm at) { return at == 0 ? k_ms : 2 * k_ms; });
  EXPECT_EQ(s.best(), 0u);
  for (int i = 0; i < 10'000; ++i) program.run([](arm at) { return at == 1 ? k_ms : 2 * k_ms; });
  EXPECT_EQ(s.best(), 1u);
  EXPECT_GE(s.epoch(), 1u);
}

// Several at a time
// --------------------------------------------------------------------------------------------------------------------

TEST(decision, only_one_tries_at_a_time_and_turns_go_round) {
  decision a(decision_kind::session, "a", 0), b(decision_kind::session, "b", 0);
  const auto search = [] { return state(space({dimension{200}}), 0, {.how = search_strategy::exhaustive}); };
  state x = search(), y = search();
  int a_tried = 0, b_tried = 0;
  std::int64_t now_ns = 1;
  for (int i = 0; i < 100; ++i, now_ns += 2'000'000) {
    const arm p = a.next(x, now_ns, k_numbers), q = b.next(y, now_ns, k_numbers);
    EXPECT_FALSE(x.is_trying() && y.is_trying());
    a_tried += x.is_trying();
    b_tried += y.is_trying();
    a.report(x, p, {1, 1, 2e6}, k_numbers);
    b.report(y, q, {1, 1, 2e6}, k_numbers);
  }
  EXPECT_GE(a_tried, 30);
  EXPECT_GE(b_tried, 30);
}

TEST(decision, an_advance_is_lost_once) {
  constexpr double k_share = 0.01, k_advance = 2;
  constexpr int k_windows = 200;
  const auto lost = [&](double advance) {
    decision of(decision_kind::session, "advance", k_share, advance);
    state s(space({dimension{50}}), 0, {.window_ns = 0});
    std::int64_t now_ns = 1;
    double sum = 0;
    for (int i = 0; i < k_windows; ++i) {
      const arm at = of.next(s, now_ns, k_numbers);
      const double cost = at == 0 ? k_ms : 1.5 * k_ms;
      now_ns += static_cast<std::int64_t>(cost);
      sum += cost / k_ms - 1;
      of.report(s, at, {cost, 1, cost}, k_numbers);
    }
    return sum;
  };
  EXPECT_LT(lost(0), k_share * k_windows + 1); // and one window that was worse than expected
  EXPECT_GT(lost(k_advance), lost(0) + k_advance - 1);
  EXPECT_LT(lost(k_advance), k_share * k_windows + k_advance + 1);
}

TEST(decision, what_it_costs_is_in_the_books) {
  auto& books = treadle::detail::tuning_total[decision_kind::splitting];
  const auto read = [](auto& word) { return word.load(treadle::detail::order::relaxed); };
  const auto windows = read(books.windows), voids = read(books.voids), deciding = read(books.deciding_ns),
             exploring = read(books.exploring_ns);
  decision d(decision_kind::splitting, "d", 0);
  state s(space({dimension{3}}), 0, {.how = search_strategy::exhaustive});
  while (d.next(s, 1, k_numbers) == 0) d.report(s, 0, {1, 1, 2e6}, k_numbers);
  d.report(s, 1, {2, 1, 4e6}, k_numbers);
  d.report(s, 1, {-1, 1, 4e6}, k_numbers);
  d.decided(500);
  EXPECT_EQ(read(books.windows), windows + s.windows());
  EXPECT_EQ(read(books.voids), voids + 1);
  EXPECT_EQ(read(books.deciding_ns), deciding + 500);
  EXPECT_EQ(read(books.exploring_ns), exploring + 2'000'000 + 1'200'000); // and a share of what was ignored
  EXPECT_EQ(d.deciding_ns(), 500);
}

TEST(decision, contexts_are_told_apart) {
  struct known {
    context of;
  };
  by_context<known> all;
  EXPECT_EQ(all.find(2, "small"), nullptr);
  known& small = all.add(std::make_unique<known>(known{{2, "small"}}));
  all.add(std::make_unique<known>(known{{1, "small"}}));
  EXPECT_EQ(all.find(2, "small"), &small);
  EXPECT_NE(all.find(1, "small"), &small);
  EXPECT_EQ(all.find(2, "large"), nullptr);
  EXPECT_EQ(to_string(context{2, "n = 10"}), "n = 10, 2 workers");
  EXPECT_EQ(to_string(context{1}), "1 worker");
  EXPECT_EQ(to_string(context{0, "n = 10"}), "n = 10");
}

} // namespace
