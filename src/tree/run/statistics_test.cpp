#include "tree/test_support.hpp"

#include <algorithm>
#include <map>

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
  }
}

} // namespace
} // namespace treadle::tree
