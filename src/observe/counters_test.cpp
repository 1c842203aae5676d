#include <treadle/observe/counters.hpp>

#include "base/clock.hpp"
#include "observe/periodic.hpp"

#include <treadle/detail/atomic.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace counters = treadle::counters;
using treadle::detail::atomic;
using treadle::detail::order;

namespace {

/// What the error says, without its first characters up to `from`.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

struct counters_test : testing::Test {
  double cells = 10;
  counters::definition updated{{"/test/cells/updated", counters::kind::monotonic, "cells", "Cells updated."},
                               [this] { return cells; }};
  counters::definition first{{"/test{part#0}/length", counters::kind::gauge, "", "How long."}, [] { return 3; }};
  counters::definition second{{"/test{part#1}/length", counters::kind::gauge, "", "How long."}, [] { return 5; }};
};

TEST_F(counters_test, a_reset_is_the_readers_own_affair) {
  counters::counter one("/test/cells/updated"), two("/test/cells/updated");
  EXPECT_EQ(one.value(), 10);
  one.reset();
  cells = 17;
  EXPECT_EQ(one.value(), 7);
  EXPECT_EQ(two.value(), 17);
  EXPECT_EQ(one.about().unit, "cells");
  EXPECT_EQ(one.about().kind, counters::kind::monotonic);
}

TEST_F(counters_test, gauges_are_what_they_are) {
  counters::counter length("/test{part#1}/length");
  length.reset();
  EXPECT_EQ(length.value(), 5);
  EXPECT_EQ(length.read().name, "/test{part#1}/length");
  EXPECT_GT(length.read().time_ns, 0);
}

TEST_F(counters_test, discovery) {
  const auto names = [](const char* pattern) {
    std::vector<std::string> found;
    for (const auto& one : counters::discover(pattern)) found.push_back(one.name);
    return found;
  };
  using list = std::vector<std::string>;
  EXPECT_EQ(names("/test/*"), (list{"/test/cells/updated", "/test{part#0}/length", "/test{part#1}/length"}));
  EXPECT_EQ(names("/test{part#*}/length"), (list{"/test{part#0}/length", "/test{part#1}/length"}));
  EXPECT_EQ(names("/test{part#*}/*"), (list{"/test{part#0}/length", "/test{part#1}/length"}));
  EXPECT_EQ(names("/te?t/cells/[tu]*"), list{"/test/cells/updated"});
  EXPECT_EQ(names("/nothing/*"), list{});
  EXPECT_EQ(names("/statistics{/test/cells/*}/m*").size(), 3u);
}

TEST_F(counters_test, groups) {
  counters::group all({"/test{part#*}/length", "/test/cells/updated"});
  ASSERT_EQ(all.size(), 3u);
  cells = 11;
  const auto readings = all.read();
  EXPECT_EQ(readings[0].value + readings[1].value, 8);
  EXPECT_EQ(readings[2].value, 11);
  all.reset();
  EXPECT_EQ(all.read()[2].value, 0);
  EXPECT_EQ(message_of([] { counters::group none({"/nothing/*"}); }), "no counter matches '/nothing/*'");
}

TEST_F(counters_test, unknown_names) {
  EXPECT_EQ(message_of([] { counters::counter c("/test/cells/update"); }),
            "no counter '/test/cells/update': did you mean '/test/cells/updated'?");
  EXPECT_EQ(message_of([] { counters::counter c("/test{part#2}/length"); }),
            "no counter '/test{part#2}/length'; its instances are part#0, part#1");
  EXPECT_EQ(message_of([] { counters::counter c("/test/*"); }), "'/test/*' is not one counter but a pattern");
  EXPECT_THROW(counters::counter("nonsense"), std::invalid_argument);
}

TEST_F(counters_test, definitions_are_checked) {
  const auto define = [](const char* name, counters::kind k = counters::kind::gauge) {
    return message_of([&] { counters::definition d({name, k, "", ""}, [] { return 0; }); });
  };
  EXPECT_EQ(define("/test/cells/updated"), "counter '/test/cells/updated' is defined already");
  EXPECT_NE(define("/test/*"), "no error");
  EXPECT_NE(define("/test/a@b"), "no error");
  EXPECT_NE(define("/statistics{/a/b}/max"), "no error");
  EXPECT_EQ(define("/test/a", counters::kind::average), "counter '/test/a': one number is no average");
  for (const std::string own : {"threads", "runtime", "tuning", "rules", "knobs"})
    EXPECT_EQ(define(("/" + own + "/a").c_str()),
              "counter '/" + own + "/a': counters of /" + own + " are Treadle's own");
  EXPECT_EQ(define("/test/a"), "no error");
  EXPECT_EQ(define("/test/a"), "no error"); // the first is gone
}

TEST(counters, functions_may_throw_anything) {
  counters::definition one({"/test/throws", counters::kind::gauge, "", ""}, []() -> double { throw 42; });
  counters::definition other({"/test/throws-more", counters::kind::gauge, "", ""},
                             []() -> double { throw std::out_of_range("too far"); });
  EXPECT_EQ(message_of([] { counters::counter("/test/throws").value(); }),
            "counter '/test/throws': its function threw something");
  EXPECT_EQ(message_of([] { counters::counter("/test/throws-more").value(); }), "counter '/test/throws-more': too far");
  for (const auto& reading : counters::group({"/test/throws*"}).read()) EXPECT_TRUE(std::isnan(reading.value));
}

TEST(counters, names_of_the_runtime_are_taken) {
  for (const char* name : {"/threads/idle-rate", "/runtime{locality#0/total}/memory/slab", "/papi/x"})
    EXPECT_THROW(counters::definition({name, counters::kind::gauge, "", ""}, [] { return 0; }), std::invalid_argument);
}

TEST(counters, nesting_has_an_end) {
  std::string name = "/runtime/uptime";
  for (int i = 0; i < 2000; ++i) name = "/arithmetics/add@" + name;
  EXPECT_THROW(counters::counter{name}, std::invalid_argument);
}

TEST(counters, outlive_their_definition) {
  std::optional<counters::definition> defined;
  defined.emplace(counters::description{"/test/brief", counters::kind::gauge, "", ""}, [] { return 1; });
  counters::counter reader("/test/brief");
  counters::group readers({"/test/brief"});
  EXPECT_EQ(reader.value(), 1);
  defined.reset();
  EXPECT_EQ(message_of([&] { reader.value(); }), "counter '/test/brief' is not defined any more");
  EXPECT_TRUE(std::isnan(readers.read()[0].value));
  EXPECT_THROW(counters::counter("/test/brief"), std::invalid_argument);
}

TEST_F(counters_test, arithmetics) {
  const auto value = [](const char* operation, const char* operands) {
    return counters::counter(std::string("/arithmetics/") + operation + "@" + operands).value();
  };
  const char* lengths = "/test{part#*}/length"; // 3, 5
  EXPECT_EQ(value("add", lengths), 8);
  EXPECT_EQ(value("subtract", lengths), -2);
  EXPECT_EQ(value("multiply", lengths), 15);
  EXPECT_EQ(value("divide", "/test{part#1}/length,/test{part#0}/length"), 5.0 / 3);
  EXPECT_EQ(value("mean", lengths), 4);
  EXPECT_EQ(value("variance", lengths), 2);
  EXPECT_EQ(value("median", lengths), 4);
  EXPECT_EQ(value("min", lengths), 3);
  EXPECT_EQ(value("max", lengths), 5);
  EXPECT_EQ(value("count", lengths), 2);
  EXPECT_EQ(counters::counter("/arithmetics/add@/test/cells/updated").about().unit, "cells");
  EXPECT_EQ(
      message_of([] { counters::counter c("/arithmetics/plus@/test{part#0}/length"); }),
      "no counter '/arithmetics/plus@/test{part#0}/length'; arithmetics are add, subtract, multiply, divide, mean, "
      "variance, median, min, max, count");
  EXPECT_NE(message_of([] { counters::counter c("/arithmetics/add"); }), "no error");
  EXPECT_NE(message_of([] { counters::counter c("/arithmetics/add@/test/none"); }), "no error");
}

TEST_F(counters_test, statistics_of_samples) {
  atomic<std::uint32_t> reads{0};
  counters::definition rising({"/test/rising", counters::kind::gauge, "m", "Grows by one when it is read."},
                              [&] { return reads.fetch_add(1, order::relaxed) + 1; });
  counters::counter largest("/statistics{/test/rising}/max@1,3");
  EXPECT_EQ(largest.about().unit, "m");
  while (reads.load(order::relaxed) < 5) std::this_thread::yield();
  EXPECT_GE(largest.value(), 4);
  counters::counter rate("/statistics{/test/rising}/rate@1");
  EXPECT_EQ(rate.about().unit, "m/s");
  while (!(rate.value() > 0)) std::this_thread::yield();
  counters::counter least("/statistics{/test/rising}/rolling_min@1,3");
  while (!(least.value() > 3)) std::this_thread::yield();
  EXPECT_NE(message_of([] { counters::counter c("/statistics{/test/rising}/max@0"); }), "no error");
  EXPECT_NE(message_of([] { counters::counter c("/statistics{/test/rising}/max@1,x"); }), "no error");
  EXPECT_NE(message_of([] { counters::counter c("/statistics{/test/rising}/most"); }), "no error");
  EXPECT_NE(message_of([] { counters::counter c("/statistics/max"); }), "no error");
  const double values[] = {largest.value(), least.value()};
  for (const double v : values) EXPECT_LE(v, reads.load(order::relaxed));
}

TEST_F(counters_test, statistics_of_few_samples) {
  counters::counter idle("/statistics{/test{part#0}/length}/median@3600000");
  EXPECT_TRUE(std::isnan(idle.value()));
  counters::counter quick("/statistics{/test{part#0}/length}/stddev@1");
  while (!(quick.value() >= 0)) std::this_thread::yield();
  EXPECT_EQ(quick.value(), 0);
}

struct counting_action final : treadle::detail::periodic_action {
  atomic<std::uint32_t> acts{0};
  atomic<bool> armed{false}, ended{false};
  std::optional<treadle::detail::periodic> self;
  void act() noexcept override {
    while (!armed.load(order::acquire)) std::this_thread::yield(); // `self` is still being made
    if (acts.fetch_add(1, order::relaxed) != 2) return;
    self.reset(); // from inside
    ended.store(true, order::release);
  }
};

TEST(periodic, acts_until_it_ends) {
  counting_action action, other;
  action.self.emplace(action, 100'000);
  action.armed.store(true, order::release);
  other.self.emplace(other, 1'000'000'000'000);
  while (!action.ended.load(order::acquire)) std::this_thread::yield();
  other.self.reset();
  EXPECT_EQ(other.acts.load(order::relaxed), 0u);
  counting_action again; // the thread may be gone by now
  again.self.emplace(again, 1);
  again.armed.store(true, order::release);
  while (!again.ended.load(order::acquire)) std::this_thread::yield();
}

} // namespace
