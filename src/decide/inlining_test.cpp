#include "decide/inlining.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace treadle::decide {
namespace {

constexpr auto k_inlined = execution::inlined, k_spawned = execution::spawned;

TEST(inlining, paper_baseline_has_the_papers_defaults) {
  const paper_baseline p;
  EXPECT_EQ(p.count_threshold, 5u);
  EXPECT_EQ(p.lower_ns, 350'000u);
  EXPECT_EQ(p.upper_ns, 500'000u);
  EXPECT_EQ(paper_baseline::k_initial, k_spawned);
}

TEST(inlining, nothing_is_decided_before_the_count_threshold) {
  const paper_baseline p;
  for (auto previous : {k_inlined, k_spawned}) {
    EXPECT_EQ(p.decide({0, 0}, previous), (inlining_decision{previous, false}));
    EXPECT_EQ(p.decide({4, 4}, previous), (inlining_decision{previous, false}));
    EXPECT_EQ(p.decide({5, 5}, previous), (inlining_decision{k_inlined, true}));
  }
}

TEST(inlining, both_thresholds_are_inclusive) {
  const paper_baseline p;
  EXPECT_EQ(p.decide({5, 5 * 350'000}, k_spawned), (inlining_decision{k_inlined, true}));
  EXPECT_EQ(p.decide({5, 5 * 350'000 + 1}, k_spawned), (inlining_decision{k_spawned, false}));
  EXPECT_EQ(p.decide({5, 5 * 500'000}, k_inlined), (inlining_decision{k_spawned, true}));
  EXPECT_EQ(p.decide({5, 5 * 500'000 - 1}, k_inlined), (inlining_decision{k_inlined, false}));
}

TEST(inlining, upper_is_asked_first_when_the_thresholds_cross) {
  const paper_baseline p{1, 500, 100};
  EXPECT_EQ(p.decide({1, 200}, k_inlined), (inlining_decision{k_spawned, true}));
}

RC_GTEST_PROP(inlining, paper_baseline_agrees_with_the_mean_in_exact_arithmetic, ()) {
  const paper_baseline p{*rc::gen::inRange<std::uint64_t>(1, 10), *rc::gen::inRange<std::uint64_t>(0, 1000),
                         *rc::gen::inRange<std::uint64_t>(1000, 2000)};
  const inlining_sample s{*rc::gen::inRange<std::uint64_t>(0, 20), *rc::gen::inRange<std::uint64_t>(0, 40'000)};
  const auto previous = *rc::gen::element(k_inlined, k_spawned);
  const auto decision = p.decide(s, previous);
  if (s.count < p.count_threshold) {
    RC_ASSERT((decision == inlining_decision{previous, false}));
  } else if (s.total_ns >= p.upper_ns * s.count) {
    RC_ASSERT((decision == inlining_decision{k_spawned, true}));
  } else if (s.total_ns <= p.lower_ns * s.count) {
    RC_ASSERT((decision == inlining_decision{k_inlined, true}));
  } else {
    RC_ASSERT((decision == inlining_decision{previous, false}));
  }
}

RC_GTEST_PROP(inlining, more_time_never_turns_a_spawn_into_an_inline,
              (std::uint64_t count, std::uint32_t a, std::uint32_t b)) {
  const paper_baseline p;
  const auto n = count % 100 + 5;
  const auto less = p.decide({n, std::min(a, b)}, k_spawned), more = p.decide({n, std::max(a, b)}, k_spawned);
  RC_ASSERT(!(less.mode == k_spawned && more.mode == k_inlined));
}

} // namespace
} // namespace treadle::decide
