#include "tree/test_support.hpp"

#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

namespace treadle::tree {
namespace {

using physl::inline_mode;
using physl::policy;

std::map<std::string, physl::node_profile> by_display(const physl::program& p) {
  std::map<std::string, physl::node_profile> result;
  for (auto& n : p.profile()) result[n.display] = n;
  return result;
}

constexpr const char* k_loop = "define(i, 0)\nwhile(i < 10, store(i, i + 1))";

TEST(statistics, count_every_evaluation_exactly) {
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (auto p : k_policies) {
      const physl::program program(k_loop, "t");
      for (int runs = 0; runs < 3; ++runs) static_cast<void>(program.run({}, with_policy(p)));
      auto n = by_display(program);
      EXPECT_EQ(n["lt/L#0(2, 9)"].count, 33u);
      EXPECT_EQ(n["add/L#0(2, 26)"].count, 30u);
      EXPECT_EQ(n["store/i/L#0(2, 15)"].count, 30u);
      EXPECT_EQ(n["while/L#0(2, 1)"].count, 3u);
      EXPECT_EQ(n["access-variable/i/L#0(2, 7)"].count, 33u);
      EXPECT_EQ(n["define-variable/i/L#0(1, 1)"].count, 3u);
      for (const auto& [name, one] : n) EXPECT_EQ(one.inlined + one.spawned, one.count) << name;
      program.reset_profile();
      for (const auto& one : program.profile()) EXPECT_EQ(one.count, 0u);
    }
  }
}

TEST(statistics, tell_what_was_spawned) {
  const workers w(2);
  const physl::program program(k_loop, "t");
  static_cast<void>(program.run({}, with_policy(policy::always_async)));
  auto n = by_display(program);
  EXPECT_EQ(n["add/L#0(2, 26)"].spawned, 10u);
  EXPECT_EQ(n["add/L#0(2, 26)"].mode, inline_mode::spawned);
  EXPECT_EQ(n["store/i/L#0(2, 15)"].spawned, 0u); // bookkeeping is never a task
  EXPECT_EQ(n["store/i/L#0(2, 15)"].mode, inline_mode::inlined);
  program.reset_profile();
  static_cast<void>(program.run({}, with_policy(policy::always_inline)));
  EXPECT_EQ(by_display(program)["add/L#0(2, 26)"].spawned, 0u);
  EXPECT_EQ(by_display(program)["add/L#0(2, 26)"].mode, inline_mode::inlined);
}

TEST(statistics, paper_baseline_spawns_until_it_knows_and_then_inlines_what_is_short) {
  const workers w(1);
  const physl::program program(k_loop, "t");
  auto options = with_policy(policy::paper_baseline);
  options.lower_ns = options.upper_ns = 10'000'000'000; // nothing here takes 10 s
  static_cast<void>(program.run({}, options));
  auto n = by_display(program);
  EXPECT_EQ(n["add/L#0(2, 26)"].spawned, 5u);
  EXPECT_EQ(n["add/L#0(2, 26)"].inlined, 5u);
  EXPECT_EQ(n["add/L#0(2, 26)"].mode, inline_mode::inlined);
  EXPECT_EQ(n["while/L#0(2, 1)"].mode, inline_mode::undecided);

  program.reset_profile();
  options.lower_ns = options.upper_ns = 0; // everything takes longer
  static_cast<void>(program.run({}, options));
  EXPECT_EQ(by_display(program)["add/L#0(2, 26)"].spawned, 10u);
  EXPECT_EQ(by_display(program)["add/L#0(2, 26)"].mode, inline_mode::spawned);
}

TEST(statistics, times_nest) {
  for (auto p : k_policies) {
    const workers w(2);
    const physl::program program("define(f, n, sum(arange(n * 1.0))) f(200000)", "t");
    static_cast<void>(program.run({}, with_policy(p)));
    auto n = by_display(program);
    const auto &sum = n["sum/L#0(1, 14)"], &arange = n["arange/L#0(1, 18)"], &call = n["call-function/f/L#0(1, 36)"];
    EXPECT_GT(arange.self_ns, 0u);
    EXPECT_GE(sum.inclusive_ns + 2000, sum.self_ns + arange.self_ns) << to_string(p);
    EXPECT_GE(call.inclusive_ns + 2000, sum.inclusive_ns);
    EXPECT_LT(call.self_ns, call.inclusive_ns);
  }
}

TEST(statistics, names_are_those_of_phylanx) {
  const physl::program p("define(f, a, a + x)\ndefine(x, 3)\nf(x)\nlambda(b, b)", "t");
  const auto nodes = p.profile();
  std::vector<std::string> names;
  for (const auto& n : nodes) names.push_back(n.name);
  const std::vector<std::string> expected = {
      "/phylanx$0/define-variable$0$f/0$1$1",  "/phylanx$0/__add$0/0$1$16",
      "/phylanx$0/access-argument$0$a/0$1$14", "/phylanx$0/access-variable$0$x/0$1$18",
      "/phylanx$0/define-variable$1$x/0$2$1",  "/phylanx$0/variable$0/0$2$11",
      "/phylanx$0/call-function$0$f/0$3$1",    "/phylanx$0/access-variable$1$x/0$3$3",
      "/phylanx$0/lambda$0$lambda/0$4$1",      "/phylanx$0/access-argument$1$b/0$4$11"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(nodes[1].display, "add/L#0(1, 16)");
  EXPECT_EQ(nodes[1].parent, 0);
  EXPECT_EQ(nodes[2].parent, 1);
  EXPECT_EQ(nodes[4].parent, -1);
}

TEST(statistics, decisions_of_two_programs_of_one_name_are_known_by_two) {
  const physl::program first("1", "same.physl"), second("2", "same.physl");
  EXPECT_EQ(first.instance(), "same.physl");
  EXPECT_EQ(second.instance(), "same.physl #2");
  const physl::program named("3", "same.py", {}, "same.py:12 f");
  EXPECT_EQ(named.instance(), "same.py:12 f");
  EXPECT_TRUE(named.dot().starts_with("graph \"same.py\""));
}

TEST(dumps, have_the_forms_of_phylanx) {
  const physl::program p("1 + sin(2)", "sum.physl");
  static_cast<void>(p.run({}, with_policy(policy::always_inline)));
  EXPECT_EQ(p.newick(), "(/phylanx$0/variable$0/0$1$1,(/phylanx$0/variable$1/0$1$9) /phylanx$0/sin$0/0$1$5) "
                        "/phylanx$0/__add$0/0$1$3;\n");
  EXPECT_EQ(p.dot(), "graph \"sum.physl\" {\n"
                     "    \"/phylanx$0/__add$0/0$1$3\";\n"
                     "    \"/phylanx$0/__add$0/0$1$3\" -- \"/phylanx$0/variable$0/0$1$1\";\n"
                     "    \"/phylanx$0/__add$0/0$1$3\" -- \"/phylanx$0/sin$0/0$1$5\";\n"
                     "    \"/phylanx$0/sin$0/0$1$5\" -- \"/phylanx$0/variable$1/0$1$9\";\n"
                     "}\n");
  const auto csv = p.counters_csv();
  EXPECT_TRUE(csv.starts_with("primitive_instance,display_name,count,time,eval_direct\n"
                              "\"/phylanx$0/__add$0/0$1$3\",\"add/L#0(1, 3)\",1,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_EQ(p.text(), "1 + sin(2)\n");
}

TEST(dumps, timeline_is_bounded_and_counts_what_it_drops) {
  const workers w(2);
  for (const auto how : k_policies) {
    const physl::program p(k_loop, "t");
    auto options = with_policy(how);
    options.timeline_capacity = 8;
    static_cast<void>(p.run({}, options));
    const auto t = p.timeline();
    ASSERT_EQ(t.records.size(), 8u);
    EXPECT_EQ(t.dropped, 21u - 8u); // 11 comparisons and 10 additions
    for (const auto& r : t.records) {
      EXPECT_LE(r.start_ns, r.end_ns);
      EXPECT_LT(r.node, p.profile().size());
      if (how != physl::policy::adaptive) { // which goes where it likes
        EXPECT_EQ(r.worker >= 0, how != physl::policy::always_inline);
      }
    }
  }
}

TEST(statistics, paper_adaptive_searches_for_instances_that_are_executed_often) {
  const workers w(2);
  const physl::program p("define(s, 0) define(i, 0) while(i < 3000, block(store(s, s + i * 2), store(i, i + 1))) s",
                         "t");
  EXPECT_EQ(repr(p.run({}, with_policy(physl::policy::paper_adaptive))), "8997000");
  for (const auto& node : p.profile()) {
    if (node.primitive != "__mul") continue;
    EXPECT_EQ(node.count, 3000u);
    EXPECT_EQ(node.mode, physl::inline_mode::inlined); // some 100 ns, below all thresholds
    EXPECT_LT(node.spawned, 200u);
    EXPECT_NE(node.why.find("; threshold "), std::string::npos) << node.why;
    EXPECT_TRUE(node.why.ends_with(" us of searching")) << node.why;
  }
}

TEST(statistics, paper_adaptive_searches_where_and_as_it_is_told) {
  const workers w(2);
  const physl::program p("define(i, 0) while(i < 500, store(i, i + 1)) i", "t");
  auto options = with_policy(physl::policy::paper_adaptive);
  options.thresholds = {search_strategy::exhaustive, 10'000'000, 30'000'000, 10'000'000, 20};
  EXPECT_EQ(repr(p.run({}, options)), "500");
  const auto why = [&] {
    for (const auto& node : p.profile())
      if (node.primitive == "__add") return node.why;
    return std::string();
  };
  EXPECT_NE(why().find("000 us, found after 4 windows of 20, "), std::string::npos) << why();
  options.thresholds.window = 600; // another search: the first window has not ended
  EXPECT_EQ(repr(p.run({}, options)), "500");
  EXPECT_TRUE(why().ends_with("350 and 500 us")) << why();

  options.thresholds.step_ns = 0;
  EXPECT_THROW(p.run({}, options), physl::error);
  options.thresholds = {.window = 5};
  EXPECT_THROW(p.run({}, options), physl::error);
  options.thresholds = {.how = search_strategy::local_ucb};
  EXPECT_THROW(p.run({}, options), physl::error);
}

// Counters
// --------------------------------------------------------------------------------------------------------------------

double counted(const std::string& name) { return counters::counter(name).value(); }

TEST(primitive_counters, are_those_of_all_programs_together) {
  const workers w(2);
  const std::string mul = "/tree/primitives/__mul";
  std::optional<physl::program> first(
      physl::program("define(s, 0) for_each(lambda(x, store(s, s + x * 2)), range(10)) s * 1", "one"));
  static_cast<void>(first->run({}, with_policy(policy::always_inline)));
  const double before = counted(mul + "/count/eval"), time_before = counted(mul + "/time/eval");
  EXPECT_GE(before, 11);
  EXPECT_EQ(counted(mul + "/count/eval@" + first->instance()), 11);
  EXPECT_EQ(counted("/tree{locality#0/instance#0}/primitives/__mul/count/eval@" + first->instance()), 10);
  EXPECT_EQ(counted("/tree{locality#0/instance#1}/primitives/__mul/count/eval@" + first->instance()), 1);
  EXPECT_EQ(counted("/tree{locality#0/instance#1}/primitives/__mul/eval_direct@" + first->instance()), 1);
  EXPECT_GT(time_before, 0);

  const physl::program second("2 * 3", "two");
  static_cast<void>(second.run({}, with_policy(policy::always_async)));
  EXPECT_EQ(counted(mul + "/count/eval"), before + 1);
  EXPECT_EQ(counted("/tree{locality#0/instance#0}/primitives/__mul/eval_direct@" + second.instance()), 0);
  EXPECT_EQ(counted("/tree{locality#0/instance#0}/primitives/access-variable/eval_direct@" + first->instance()), 1);
  first->reset_profile();
  EXPECT_EQ(counted(mul + "/count/eval"), before + 1); // totals stay
  EXPECT_EQ(counted(mul + "/count/eval@" + first->instance()), 0);
  const std::string name = first->instance();
  first.reset();
  EXPECT_EQ(counted(mul + "/count/eval"), before + 1); // what was evaluated stays
  EXPECT_EQ(counted(mul + "/count/eval@" + name), 0);
  const counters::counter gone("/tree{locality#0/instance#0}/primitives/__mul/count/eval@" + name);
  EXPECT_THROW(gone.value(), std::runtime_error);
  EXPECT_THROW(counted("/tree/primitives/never-evaluated/count/eval"), std::invalid_argument);
}

TEST(primitive_counters, are_read_while_programs_come_and_go) {
  const workers w(2);
  {
    const physl::program known("1 * 2", "known");
  }
  std::atomic<bool> done{false};
  std::thread reader([&] {
    double latest = 0;
    while (!done) {
      const double now = counted("/tree/primitives/__mul/count/eval");
      EXPECT_GE(now, latest);
      latest = now;
      static_cast<void>(counters::discover("/tree/primitives/__mul/*"));
    }
  });
  const double before = counted("/tree/primitives/__mul/count/eval");
  for (int i = 0; i < 200; ++i) {
    const physl::program p("fold_left(lambda(a, b, a * b), 1, list(1, 2, 3))", "short");
    static_cast<void>(p.run({}, with_policy(policy::always_inline)));
  }
  done = true;
  reader.join();
  EXPECT_EQ(counted("/tree/primitives/__mul/count/eval"), before + 600);
}

// Reasons
// --------------------------------------------------------------------------------------------------------------------

TEST(reasons_of_instances, are_those_of_the_run_that_decided) {
  const workers w(2);
  const physl::program program(k_loop, "t");
  EXPECT_EQ(by_display(program)["add/L#0(2, 26)"].why, ""); // nothing was decided
  auto options = with_policy(policy::paper_baseline);
  options.lower_ns = 1'000'000'000;
  options.upper_ns = 2'500'000'000;
  static_cast<void>(program.run({}, options));
  const auto why = [&] { return by_display(program)["add/L#0(2, 26)"].why; };
  EXPECT_TRUE(why().starts_with("inlined: ") && why().ends_with(" us against 1e+06 and 2.5e+06 us")) << why();
  static_cast<void>(program.run({}, with_policy(policy::paper_adaptive))); // has bounds of its own
  EXPECT_TRUE(why().starts_with("inlined: ") && !why().ends_with("2.5e+06 us")) << why();
  for (const auto p : {policy::always_async, policy::always_inline}) {
    static_cast<void>(program.run({}, with_policy(p)));
    EXPECT_EQ(why(), to_string(p));
  }
  static_cast<void>(program.run({}, with_policy(policy::adaptive)));
  EXPECT_TRUE(why().starts_with("inline: a part of ") && why().ends_with(" us, tasks from 19 us on")) << why();
  program.reset_profile();
  EXPECT_EQ(why(), "");
}

// The decision on the only loop or block of a program, after some runs.
std::string decision_on(const char* text, std::optional<std::uint64_t> worth_ns, unsigned worker_count = 2) {
  const workers w(worker_count);
  const physl::program program(text, "t");
  auto options = with_policy(policy::adaptive);
  options.worth_ns = worth_ns;
  for (int i = 0; i < 3; ++i) static_cast<void>(program.run({}, options));
  const auto notes = program.parallelism();
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_EQ(program.profile()[notes[0].node].primitive, notes[0].form);
  EXPECT_EQ(notes[0].text, "parallel");
  return notes[0].decision;
}

TEST(reasons_of_instances, say_why_parts_were_no_tasks) {
  constexpr std::uint64_t k_second = 1'000'000'000;
  const char* const k_parts = "define(x, constant(0.0, list(40))) for_in(i, range(40), store(slice(x, i), i * 2.0))";
  const auto worthless = decision_on(k_parts, 10 * k_second);
  EXPECT_TRUE(worthless.starts_with("inline: a part of ") && worthless.ends_with(" us, tasks from 10000000 us on"))
      << worthless;
  EXPECT_EQ(decision_on(k_parts, {}, 1), "inline: one worker");
  EXPECT_TRUE(decision_on(k_parts, 1).starts_with("split: a part of ")) << decision_on(k_parts, 1);
  EXPECT_EQ(decision_on("define(x, constant(0.0, list(40))) for_in(i, range(1), store(slice(x, i), i * 2.0))", 1),
            "inline: a single turn, or values that allow no parts");
}

TEST(reasons_of_instances, of_blocks_are_those_of_their_statements) {
  const char* const k_block =
      "define(f, n, block(define(a, sum(arange(n))), define(b, sum(arange(n))), a + b)) f(100.0)";
  EXPECT_TRUE(decision_on(k_block, 10'000'000'000).starts_with("inline: a part of "));
  EXPECT_TRUE(decision_on(k_block, 1).starts_with("split: a part of ")) << decision_on(k_block, 1);
  EXPECT_EQ(decision_on(k_block, 1, 1), "inline: one worker");
}

} // namespace
} // namespace treadle::tree
