#include "tree/parallel/splitting.hpp"

#include "base/clock.hpp"
#include "tree/run/run_state.hpp"
#include "tree/test_support.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

void evaluate(local_statistics& s, std::uint64_t times, std::uint64_t ticks) {
  s.count += times;
  s.inclusive += times * ticks;
}

TEST(splitting, the_first_evaluations_count_an_eighth) {
  local_statistics s;
  evaluate(s, 1, 8000);
  EXPECT_EQ(s.expected(3), 3000u);
  EXPECT_EQ(s.expected(3), 3000u); // nothing new
  evaluate(s, 10, 5000);
  EXPECT_EQ(s.expected(1), 5000u);
}

TEST(splitting, one_disturbed_interval_is_not_believed_and_two_are) {
  local_statistics s;
  for (int i = 0; i < 3; ++i) {
    evaluate(s, 10, 100);
    static_cast<void>(s.expected(1));
  }
  evaluate(s, 10, 100'000);
  EXPECT_EQ(s.expected(2), 200u);
  evaluate(s, 10, 50'000);
  EXPECT_EQ(s.expected(2), 100'000u);
  evaluate(s, 1, 90);
  EXPECT_EQ(s.expected(1), 90u); // cheaper is believed at once
}

TEST(splitting, work_does_not_overflow) {
  local_statistics s;
  for (int i = 0; i < 2; ++i) {
    evaluate(s, 1, std::uint64_t{1} << 62);
    static_cast<void>(s.expected(1));
  }
  EXPECT_EQ(s.expected(100), ~std::uint64_t{0});
}

TEST(splitting, one_run_at_a_time_measures) {
  splitting s("test");
  EXPECT_EQ(s.threshold(), 0u);
  EXPECT_TRUE(s.claim(2));
  EXPECT_FALSE(s.claim(2));
  EXPECT_EQ(s.threshold(), splitting::to_ticks(splitting::k_part.fitting_ns()));
  s.release();
  EXPECT_TRUE(s.claim(1)); // nobody could help
  EXPECT_EQ(s.threshold(), splitting::k_never);
}

TEST(splitting, thresholds_that_cannot_be_represented_are_never_reached) {
  EXPECT_EQ(splitting::to_ticks(HUGE_VAL), splitting::k_never);
  EXPECT_EQ(splitting::to_ticks(1e300), splitting::k_never);
  EXPECT_EQ(splitting::to_ticks(0), 0u);
}

// Claims for two workers, and runs a loop whose parts take 50 us.
void run_loop(splitting& s, bool pays, int samples, std::int64_t& now_ns) {
  const auto part = splitting::to_ticks(50'000);
  const auto* loop = reinterpret_cast<const node*>(&s); // an identity
  for (int sample = 0; sample < samples; ++sample) {
    if (sample % 3 == 0) s.begin(now_ns); // short loops, each shorter than what is compared
    const bool split = s.threshold() <= part;
    const std::int64_t took_ns = split == pays ? 400'000 : 500'000;
    now_ns += took_ns;
    s.report(*loop, 10, detail::ns_to_ticks(took_ns), split, now_ns);
    if (sample % 3 == 2) s.end();
  }
}

// A loop whose parts lose by being tasks is found out, and the other way round.
TEST(splitting, the_period_of_the_loop_decides) {
  const auto part = splitting::to_ticks(50'000);
  for (const bool pays : {false, true}) {
    splitting s("test", 0.01);
    ASSERT_TRUE(s.claim(2));
    std::int64_t now_ns = 1;
    run_loop(s, pays, 20'000, now_ns);
    EXPECT_EQ(s.threshold() <= part, pays);
    EXPECT_GT(s.windows(), 100u);
    EXPECT_GT(s.deciding_ns(), 0);
  }
}

TEST(splitting, another_number_of_workers_is_another_context_and_loses_nothing) {
  const auto part = splitting::to_ticks(50'000);
  splitting s("followed", 0.01);
  ASSERT_TRUE(s.claim(2));
  EXPECT_FALSE(s.follow(2));
  std::int64_t now_ns = 1;
  run_loop(s, false, 20'000, now_ns);
  const auto windows = s.windows();
  EXPECT_GT(s.threshold(), part);
  EXPECT_TRUE(s.follow(1));
  EXPECT_EQ(s.threshold(), splitting::k_never);
  run_loop(s, true, 300, now_ns);
  EXPECT_EQ(s.windows(), 0u); // nothing is split
  EXPECT_TRUE(s.follow(4));
  EXPECT_EQ(s.threshold(), splitting::to_ticks(splitting::k_part.fitting_ns()));
  EXPECT_TRUE(s.follow(2));
  EXPECT_GT(s.threshold(), part);
  EXPECT_EQ(s.windows(), windows);
}

TEST(splitting, begins_with_what_was_found) {
  struct kept final : loop::memory {
    std::vector<tuned_point> recall(const loop::record& of) const override {
      EXPECT_EQ(of.kind, "splitting");
      EXPECT_EQ(of.instance, "remembered");
      EXPECT_EQ(of.context, "2 workers");
      std::vector<tuned_point> points;
      for (const auto& m : last.measured) points.push_back({m.number, std::log(m.cost), 0.1, m.windows, m.choice});
      return points;
    }
    void keep(const decision_report& r) override { last = r; }
    std::string message() const override { return {}; }
    decision_report last;
  } memory;
  loop::the_memory.store(&memory, detail::order::release);
  std::int64_t now_ns = 1;
  {
    splitting s("remembered", 0.01);
    ASSERT_TRUE(s.claim(2));
    run_loop(s, false, 20'000, now_ns);
  }
  EXPECT_EQ(memory.last.chosen, "parts from 152 us on are tasks");
  {
    splitting s("remembered", 0.01);
    ASSERT_TRUE(s.claim(2));
    run_loop(s, false, 2, now_ns); // something is split once
    EXPECT_GT(s.threshold(), splitting::to_ticks(50'000));
  }
  loop::the_memory.store(nullptr, detail::order::release);
}

TEST(splitting, nothing_is_tried_where_nothing_is_split) {
  splitting s("test", 0);
  const auto* loop = reinterpret_cast<const node*>(&s);
  ASSERT_TRUE(s.claim(2));
  for (int sample = 0; sample < 1000; ++sample) s.report(*loop, 10, detail::ns_to_ticks(5'000'000), false, 1 + sample);
  EXPECT_EQ(s.windows(), 0u);
  EXPECT_EQ(s.threshold(), splitting::to_ticks(splitting::k_part.fitting_ns()));
}

// Runs a program of one node with an input of some size, in which the node takes so long.
bool worth_a_task_before(double size, double ns, std::span<node_statistics> known) {
  splitting unused("sizes");
  const auto options = with_policy(physl::policy::adaptive);
  terms_of_runs terms;
  run_state here(options, known, nullptr, unused, terms, size);
  local_statistics* const mine = here.lease_statistics();
  const bool worth = here.is_worth_a_task(0, 1, mine);
  mine[0].count = 2;
  mine[0].inclusive = 2 * splitting::to_ticks(ns);
  here.give_back(mine);
  return worth;
}

TEST(splitting, many_small_inputs_do_not_hide_that_a_large_one_is_work) {
  const workers w(2);
  node_statistics known[1];
  EXPECT_FALSE(worth_a_task_before(1e6, 1e6, known)); // nothing is known
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(worth_a_task_before(1e6, 1e6, known)) << i;
    for (int j = 0; j < 40; ++j) {
      const bool worth = worth_a_task_before(10, 500, known);
      EXPECT_TRUE(!worth || (i == 0 && j == 0)) << i << ' ' << j;
    }
  }
}

const char* k_two_loops = "define(work, n, block(define(s, 0), define(k, 0), while(k < n, block(store(s, s + k), "
                          "store(k, k + 1))), s))\n"
                          "define(total, 0) for_in(i, range(200), store(total, total + work(2000)))\n"
                          "for_in(j, range(200), store(total, total + work(2000))) total";

TEST(splitting, the_outermost_loops_of_a_run_are_measured) {
  const workers w(2);
  const physl::program p(k_two_loops, "t");
  EXPECT_EQ(p.splitting().threshold_ns, 0);
  const auto expected = repr(p.run({}, with_policy(physl::policy::always_inline)));
  EXPECT_EQ(p.splitting().threshold_ns, 0); // nobody asked
  EXPECT_EQ(repr(p.run({}, with_policy(physl::policy::adaptive))), expected);
  EXPECT_GT(p.splitting().threshold_ns, 0);
  EXPECT_GT(p.splitting().tuner_ns, 0);
}

TEST(splitting, runs_see_how_many_workers_may_be_active) {
  runtime rt({.workers = 2});
  const physl::program p("define(f, n, n + 1) f(1)", "t");
  const auto threshold = [&] {
    static_cast<void>(p.run({}, with_policy(physl::policy::adaptive)));
    return p.splitting().threshold_ns;
  };
  const double both = threshold();
  rt.set_concurrency(1);
  EXPECT_GT(threshold(), 1e6 * both); // nobody could help
  rt.set_concurrency(2);
  EXPECT_EQ(threshold(), both);
}

TEST(splitting, a_threshold_that_is_given_stays) {
  const workers w(2);
  const physl::program p(k_two_loops, "t");
  auto options = with_policy(physl::policy::adaptive);
  options.worth_ns = 1000;
  static_cast<void>(p.run({}, options));
  EXPECT_EQ(p.splitting().threshold_ns, 0);
  EXPECT_EQ(p.splitting().tuner_ns, 0);
}

} // namespace
} // namespace treadle::tree
