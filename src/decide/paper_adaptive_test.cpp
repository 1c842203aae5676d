#include "decide/paper_adaptive.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

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
    EXPECT_TRUE(p.is_registered());
    EXPECT_FALSE(p.decide({4, 4}, execution::spawned).decision.decided);
    EXPECT_FALSE(p.decide({0, 0}, execution::inlined).decision.decided);
  }
}

TEST(paper_adaptive, an_instance_that_is_executed_often_gets_a_search_that_ends) {
  for (const auto how : {treadle::search_strategy::exhaustive, treadle::search_strategy::parallel_rank_order,
                         treadle::search_strategy::published_rank_order}) {
    paper_adaptive p({.how = how});
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
  paper_adaptive p({.how = treadle::search_strategy::exhaustive});
  run_paper(p, [](execution) { return 10'000; }, 5000);
  EXPECT_EQ(p.windows(), 10u); // the first has the threshold that an instance begins with
}

/// The pseudocode of the paper, line by line, with the numbers of its text and of Phylanx's source; thresholds come
/// from `proposals` in turn. One entry for each evaluation: what is decided before it.
std::vector<inlining_decision> by_the_pseudocode(double mean_us, int evaluations, std::vector<double> proposals) {
  double exec_count = 0, exec_time = 0, threshold = 425, avg_exec_time = 0;
  const double hysteresis = 75, count_threshold_1 = 5, count_threshold_2 = 50;
  std::size_t proposed = 0;
  std::vector<inlining_decision> trace;
  execution mode = execution::spawned;
  for (int i = 0; i < evaluations; ++i) {
    inlining_decision decision{mode, false};
    if (exec_count >= count_threshold_2 && proposed < proposals.size()) {
      threshold = proposals[proposed++];
      exec_count = exec_time = 0; // ResetCounter
    }
    if (exec_count >= count_threshold_1) {
      avg_exec_time = exec_time / exec_count;
      if (avg_exec_time >= threshold + hysteresis)
        decision = {execution::spawned, true};
      else if (avg_exec_time <= threshold - hysteresis)
        decision = {execution::inlined, true};
    }
    mode = decision.mode;
    trace.push_back(decision);
    ++exec_count;
    exec_time += mean_us;
  }
  return trace;
}

std::vector<inlining_decision> by_the_policy(paper_adaptive& p, double mean_us, int evaluations) {
  std::vector<inlining_decision> trace;
  inlining_sample sample;
  execution mode = paper_adaptive::k_initial;
  for (int i = 0; i < evaluations; ++i) {
    const auto [decision, reset] = p.decide(sample, mode);
    mode = decision.mode;
    trace.push_back(decision);
    if (reset) sample = {};
    ++sample.count;
    sample.total_ns += static_cast<std::uint64_t>(mean_us * 1000);
  }
  return trace;
}

TEST(paper_adaptive, decides_evaluation_by_evaluation_as_the_pseudocode) {
  for (const double mean_us : {300.0, 400.0, 510.0}) {
    paper_adaptive p({.how = treadle::search_strategy::exhaustive});
    // 200 and 300 us, and a third window that has not ended.
    EXPECT_EQ(by_the_policy(p, mean_us, 120), by_the_pseudocode(mean_us, 120, {200, 300})) << mean_us;
    EXPECT_EQ(p.windows(), 2u);
    EXPECT_EQ(p.threshold_ns(), 300'000);
  }
}

/// Any means, spaces and windows; which threshold comes next is read off a search of the same kind.
RC_GTEST_PROP(paper_adaptive, decides_as_the_pseudocode_until_the_search_has_ended, ()) {
  const double mean_us = *rc::gen::inRange(1, 1500);
  std::vector<double> proposals;
  for (int i = 0; i < 9; ++i) proposals.push_back(200 + 100 * i);
  proposals.push_back(200); // all cost the same: the first is the best
  paper_adaptive p({.how = treadle::search_strategy::exhaustive});
  RC_ASSERT(by_the_policy(p, mean_us, 700) == by_the_pseudocode(mean_us, 700, proposals));
  RC_ASSERT(p.converged());
}

TEST(paper_adaptive, searches_in_the_space_and_the_windows_that_are_asked_for) {
  paper_adaptive p({treadle::search_strategy::exhaustive, 10'000, 35'000, 10'000, 6}); // 10, 20, 30 us
  std::set<double> seen;
  inlining_sample sample;
  int launches = 0;
  for (int i = 0; i < 100; ++i) {
    const auto outcome = p.decide(sample, execution::spawned);
    if (outcome.reset) {
      EXPECT_EQ(sample.count, 6u);
      sample = {};
      ++launches;
    }
    seen.insert(p.threshold_ns());
    ++sample.count;
    sample.total_ns += 1000;
  }
  EXPECT_EQ(seen, (std::set<double>{10'000, 20'000, 30'000, 425'000}));
  EXPECT_EQ(launches, 4);
  EXPECT_TRUE(p.converged());
  EXPECT_EQ(paper_adaptive({.first_ns = 1'000}).threshold_ns(), 425'000);
  EXPECT_EQ(p.lower_ns(), 0u); // 10 - 75 us
}

} // namespace
