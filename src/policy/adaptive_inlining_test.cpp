#include "policy/adaptive_inlining.hpp"
#include "policy/paper_adaptive.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace treadle::policies;

adaptive_inlining with_samples(spawn_cost cost, double ns, bool blocked = false, int count = 20) {
  adaptive_inlining p(cost);
  for (int i = 0; i < count; ++i) p.sample(ns, blocked);
  return p;
}

TEST(adaptive_inlining, knows_the_clear_cases) {
  EXPECT_TRUE(with_samples({50, 1}, 1e6).inlined());
  EXPECT_TRUE(with_samples({50, 4}, 80).inlined());
  EXPECT_FALSE(with_samples({50, 4}, 1e6).inlined());
  EXPECT_FALSE(with_samples({50, 4}, 80, true).inlined());
  EXPECT_FALSE(with_samples({50, 1}, 80, false, 4).inlined()); // too few
  for (const auto& p : {with_samples({50, 1}, 1e6), with_samples({50, 4}, 80), with_samples({50, 4}, 1e6)})
    EXPECT_FALSE(p.tries());
  EXPECT_NE(with_samples({50, 4}, 80).why().find("80 ns"), std::string::npos);
  EXPECT_NE(with_samples({50, 1}, 80).why().find("one worker"), std::string::npos);
}

TEST(adaptive_inlining, one_preempted_execution_does_not_make_a_task_long) {
  auto p = with_samples({50, 2}, 60);
  p.sample(4'000'000, false);
  EXPECT_TRUE(p.inlined());
  EXPECT_LT(p.mean_ns(), 100);
}

TEST(adaptive_inlining, sees_when_a_task_becomes_long) {
  auto p = with_samples({50, 2}, 60);
  for (int i = 0; i < 60; ++i) p.sample(1e6, false);
  EXPECT_FALSE(p.inlined());
}

/// What it does in the end where inline and spawned calls take so long, with some noise; and what trying cost.
struct outcome {
  bool inlined;
  double excess;
};
outcome run(adaptive_inlining& p, double inlined_ns, double spawned_ns, int windows, double noise = 0.05) {
  treadle::detail::xorshift random(5);
  double total = 0;
  for (int i = 0; i < windows; ++i) {
    double ns = p.inlined() ? inlined_ns : spawned_ns;
    total += ns;
    ns *= 1 + noise * (random.below(1000) * 0.002 - 1);
    p.sample(2000, false);
    p.period(100, 100 * ns);
  }
  return {p.inlined(), total / (windows * std::min(inlined_ns, spawned_ns)) - 1};
}

TEST(adaptive_inlining, tries_where_the_cost_does_not_tell) {
  for (const double mean : {500.0, 2000.0}) { // the suggestion is inline, then spawned
    for (const bool inline_is_better : {true, false}) {
      auto p = with_samples({50, 2}, mean);
      ASSERT_TRUE(p.tries());
      EXPECT_EQ(p.inlined(), mean == 500);
      const auto [inlined, excess] = run(p, inline_is_better ? 1000 : 1800, inline_is_better ? 1800 : 1000, 4000);
      EXPECT_EQ(inlined, inline_is_better);
      EXPECT_LT(excess, 0.05);
      EXPECT_GT(p.windows(), 0u);
    }
  }
}

TEST(adaptive_inlining, trying_in_vain_costs_little) {
  auto p = with_samples({50, 2}, 2000);
  const auto [inlined, excess] = run(p, 2000, 1000, 10'000);
  EXPECT_FALSE(inlined);
  EXPECT_LT(excess, 0.006);
}

TEST(adaptive_inlining, follows_a_change) {
  auto p = with_samples({50, 2}, 2000);
  EXPECT_FALSE(run(p, 2000, 1000, 2000).inlined);
  EXPECT_TRUE(run(p, 1000, 2000, 4000).inlined);
  EXPECT_GE(p.epoch(), 1u);
}

TEST(adaptive_inlining, another_number_of_workers_is_another_question) {
  auto p = with_samples({50, 2}, 2000);
  run(p, 2000, 1000, 500);
  p.use({50, 1});
  EXPECT_TRUE(p.inlined());
  EXPECT_FALSE(p.tries());
  const unsigned epoch = p.epoch();
  p.use({50, 1});
  EXPECT_EQ(p.epoch(), epoch);
}

// Algorithm 2
// --------------------------------------------------------------------------------------------------------------------

/// Evaluates again and again with a mean time that may depend on what was decided.
template <class Time>
execution run_paper(paper_adaptive& p, Time time_of, int evaluations) {
  inlining_sample sample;
  execution mode = paper_adaptive::k_initial;
  for (int i = 0; i < evaluations; ++i) {
    const auto [decision, reset] = p.decide(sample, mode);
    mode = decision.mode;
    if (reset) sample = {};
    ++sample.count;
    sample.total_ns += static_cast<std::uint64_t>(time_of(mode));
  }
  return mode;
}

TEST(paper_adaptive, begins_with_the_band_of_the_paper) {
  for (const auto& [ns, mode, decided] :
       {std::tuple{349'999, execution::inlined, true}, std::tuple{350'000, execution::inlined, true},
        std::tuple{400'000, execution::spawned, false}, std::tuple{500'000, execution::spawned, true}}) {
    paper_adaptive p;
    const auto result = p.decide({5, static_cast<std::uint64_t>(5 * ns)}, execution::spawned);
    EXPECT_EQ(result.decision, (inlining_decision{mode, decided})) << ns;
    EXPECT_FALSE(p.is_registered());
    EXPECT_FALSE(p.decide({4, 4}, execution::spawned).decision.decided);
    EXPECT_FALSE(p.decide({0, 0}, execution::inlined).decision.decided);
  }
}

TEST(paper_adaptive, an_instance_that_is_executed_often_gets_a_search_that_ends) {
  for (const auto how : {treadle::search_strategy::exhaustive, treadle::search_strategy::parallel_rank_order}) {
    paper_adaptive p(how);
    EXPECT_EQ(run_paper(p, [](execution) { return 10'000; }, 5000), execution::inlined);
    EXPECT_TRUE(p.converged());
    EXPECT_GE(p.threshold_ns(), 200'000);
    EXPECT_LE(p.threshold_ns(), 1'000'000);
    EXPECT_LE(p.windows(), 40u);
    const unsigned windows = p.windows();
    run_paper(p, [](execution) { return 2'000'000; }, 1000);
    EXPECT_EQ(p.windows(), windows); // deregistered: frozen
  }
}

TEST(paper_adaptive, exhaustive_looks_at_all_nine_thresholds) {
  paper_adaptive p(treadle::search_strategy::exhaustive);
  run_paper(p, [](execution) { return 10'000; }, 5000);
  EXPECT_EQ(p.windows(), 9u);
}

} // namespace
