#include "decide/paper_adaptive.hpp"

#include <gtest/gtest.h>

namespace {

using namespace treadle::decide;

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
