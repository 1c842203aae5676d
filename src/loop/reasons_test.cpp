#include "loop/reasons.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

namespace {

using namespace treadle::loop;
using treadle::decision_report;
using treadle::search_strategy;
using treadle::tune::dimension;
using treadle::tune::space;

struct letters final : choice_names {
  std::string operator()(arm at) const override { return std::string(1, static_cast<char>('a' + at)); }
  std::string all() const override { return "a, b, c"; }
};

struct one final : explained {
  bool try_lock() noexcept override { return true; }
  void unlock() noexcept override {}
  explicit one(std::string name) : made(decision_kind::session, std::move(name), 0) {}
  void explain(std::vector<decision_report>& to) override {
    ++asked;
    to.push_back(report(made, {2, "small"}, known, letters()));
  }
  void measure(arm at, double cost) {
    while (known.next() != at) known.report(known.present(), {1, 1, 1e6});
    known.report(at, {cost, 1, 1e6});
  }

  std::atomic<int> asked{0};
  decision made;
  state known{space({dimension{3}}), 0, {.how = search_strategy::exhaustive, .window_ns = 0}};
  explanation registered{*this};
};

decision_report report_of(const std::string& name) {
  for (const decision_report& r : treadle::explain())
    if (r.instance == name) return r;
  return {};
}

TEST(reasons, tell_what_was_measured) {
  one d("measured");
  EXPECT_EQ(report_of("measured").why, "not measured yet");
  d.measure(0, 1);
  EXPECT_EQ(report_of("measured").why, "nothing else was tried yet");
  d.measure(1, 1.5);
  d.known.interrupt();
  const decision_report r = report_of("measured");
  EXPECT_EQ(r.kind, "session");
  EXPECT_EQ(r.context, "small, 2 workers");
  EXPECT_EQ(r.chosen, "a");
  EXPECT_EQ(r.why, "2 were tried; the next, b, costs 50.0 % more");
  EXPECT_EQ(r.choices, "a, b, c");
  EXPECT_EQ(r.windows, d.known.windows());
  ASSERT_EQ(r.measured.size(), 2u);
  EXPECT_NEAR(r.measured[1].cost, 1.5, 1e-6);
  EXPECT_NE(treadle::explain_table().find("session of measured [small, 2 workers]: a; 2 were tried"), std::string::npos)
      << treadle::explain_table();
}

TEST(reasons, two_instances_never_have_one_name) {
  const std::string longer = "f<" + std::string(100, 'x');
  const one first(longer + "a>()"), second(longer + "b>()");
  std::vector<std::string> names;
  for (const decision_report& r : treadle::explain()) names.push_back(r.name);
  EXPECT_EQ(names, (std::vector<std::string>{"f<...>()", "f<...>() #2"}));
}

TEST(reasons, a_try_is_called_one) {
  one d("trying");
  d.measure(0, 1);
  EXPECT_EQ(d.known.next(), 1u);
  EXPECT_TRUE(report_of("trying").trying);
  EXPECT_EQ(report_of("trying").chosen, "b");
  EXPECT_EQ(report_of("trying").best, "a");
  EXPECT_NE(treadle::explain_table().find(": b (a try; best: a); "), std::string::npos) << treadle::explain_table();
}

TEST(reasons, what_an_earlier_run_has_found_is_called_so) {
  one d("believed");
  d.known.believe({{.at = 1, .mean = 0, .deviation = 0.05, .windows = 3}});
  EXPECT_EQ(report_of("believed").chosen, "b");
  EXPECT_EQ(report_of("believed").why, "found by an earlier run; not measured yet");
  d.measure(1, 1);
  EXPECT_EQ(report_of("believed").why, "found by an earlier run; nothing else was tried yet");
  for (int window = 0; window < 5; ++window) d.measure(d.known.next(), 100); // it does not hold any more
  EXPECT_EQ(report_of("believed").why.find("earlier run"), std::string::npos) << report_of("believed").why;
}

TEST(reasons, long_names_are_shown_short) {
  const std::string name = "f(" + std::string(1000, 'x') + ")::<lambda()>";
  const one d(name);
  EXPECT_EQ(report_of(name).name, "f(...)::<...>");
  EXPECT_NE(treadle::explain_table().find("session of f(...)::<...> [small, 2 workers]"), std::string::npos);
}

TEST(reasons, instances_whose_short_names_are_equal_are_told_apart) {
  const std::string end = std::string(70, 'y') + "/als.py:12 als (";
  std::set<std::string> names;
  const one a("/a/" + std::string(70, 'x') + end), b("/b/" + std::string(70, 'x') + end), c("/c/" + end);
  for (const one* d : {&a, &b, &c}) {
    const std::string name = report_of(d->made.instance()).name;
    EXPECT_LE(name.size(), 80u);
    names.insert(name.substr(name.size() - 9));
  }
  EXPECT_EQ(names, (std::set<std::string>{":12 als (", " als ( #2", " als ( #3"}));
}

TEST(reasons, what_has_ended_is_not_asked) {
  {
    const one d("ended");
  }
  EXPECT_EQ(report_of("ended").kind, "");
}

TEST(reasons, decisions_come_and_go_while_others_ask) {
  std::atomic<bool> stop{false};
  std::thread asking([&] {
    while (!stop) static_cast<void>(treadle::explain());
  });
  for (int i = 0; i < 2000; ++i) const one d("passing");
  stop = true;
  asking.join();
}

} // namespace
