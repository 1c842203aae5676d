#include <treadle/tune/rule.hpp>

#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

namespace {

using namespace std::chrono_literals;
using treadle::rule;
using treadle::rule_context;
namespace events = treadle::events;

/// Until something is so, or for a minute.
template <class F>
bool wait_until(F f) {
  for (int i = 0; i < 60'000 && !f(); ++i) std::this_thread::sleep_for(1ms);
  return f();
}

double read(const char* counter) {
  static const rule first = treadle::on("nothing", [](const events::custom&) {}); // known from the first one on
  return treadle::counters::counter(counter).value();
}

TEST(rule, runs_on_each_event_of_a_set) {
  std::atomic<int> created{0}, finished{0}, all{0};
  {
    const rule both = treadle::on<events::task_created, events::task_finished>([&](const auto& e) {
      if constexpr (std::is_same_v<std::decay_t<decltype(e)>, events::task_created>)
        ++created;
      else
        ++finished;
    });
    const rule any = treadle::on<events::task_created, events::task_finished>([&](const events::event&) { ++all; });
    treadle::runtime runtime({.workers = 2});
    for (int i = 0; i < 100; ++i) treadle::async([] {}).get();
    EXPECT_TRUE(wait_until([&] { return finished == 100; }));
  }
  EXPECT_EQ(created, 100);
  EXPECT_EQ(all, created + finished);
}

TEST(rule, has_triggers_of_the_programs_own) {
  double sum = 0;
  int others = 0;
  const rule mine = treadle::on("imbalance", [&](const events::custom& e) { sum += e.value; });
  const rule other = treadle::on("something else", [&](rule_context&, const events::custom&) { ++others; });
  events::emit("imbalance", 1.5);
  events::emit("imbalance", 2.5);
  events::emit("balance", 100);
  EXPECT_EQ(sum, 4);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(mine.calls(), 2u);
}

TEST(rule, runs_every_so_often_and_stops) {
  std::atomic<int> calls{0};
  {
    const rule p = treadle::every(1ms, [&] { ++calls; });
    EXPECT_TRUE(wait_until([&] { return calls >= 5; }));
  }
  const int then = calls;
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(calls, then);
}

TEST(rule, counts_the_periods_it_missed_and_stays_on_the_beat) {
  std::atomic<int> calls{0};
  const auto start = std::chrono::steady_clock::now();
  rule p = treadle::every(2ms, [&] {
    if (++calls == 3) std::this_thread::sleep_for(30ms);
  });
  EXPECT_TRUE(wait_until([&] { return calls >= 6; }));
  EXPECT_GE(p.missed(), 13u);
  const auto periods = (std::chrono::steady_clock::now() - start) / 2ms;
  EXPECT_LE(p.calls() + p.missed(), static_cast<std::uint64_t>(periods) + 1);
}

TEST(rule, refuses_a_period_of_nothing) {
  EXPECT_THROW(static_cast<void>(treadle::every(0ms, [] {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(treadle::every(-1s, [] {})), std::invalid_argument);
}

TEST(rule, ends_itself) {
  int calls = 0;
  const rule p = treadle::on("once", [&](rule_context& context, const events::custom&) {
    ++calls;
    context.stop();
  });
  for (int i = 0; i < 5; ++i) events::emit("once");
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(p.failed());

  std::atomic<int> ticks{0};
  const rule clock = treadle::every(1ms, [&](rule_context& context) {
    if (++ticks == 3) context.stop();
  });
  EXPECT_TRUE(wait_until([&] { return ticks == 3; }));
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(ticks, 3);
}

TEST(rule, runs_every_so_many_of_a_counter) {
  std::atomic<double> value{1000};
  const treadle::counters::definition things({"/mine/count/things", treadle::counters::kind::gauge, "", "Things."},
                                             [&] { return value.load(); });
  std::atomic<int> calls{0};
  const rule counting = treadle::every(100, "/mine/count/things", [&] { ++calls; });
  value = 1099;
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(calls, 0);
  value = 1100;
  EXPECT_TRUE(wait_until([&] { return calls == 1; }));
  value = 1450; // three more, and one call for them
  EXPECT_TRUE(wait_until([&] { return calls == 2; }));
  EXPECT_EQ(counting.missed(), 2u);
  value = 1499;
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(calls, 2);
  value = 10; // begins again
  EXPECT_TRUE(wait_until([&] {
    value = value + 50;
    return calls == 3;
  }));
  EXPECT_THROW(static_cast<void>(treadle::every(0, "/mine/count/things", [] {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(treadle::every(1, "/mine/count/nothing", [] {})), std::invalid_argument);
}

TEST(rule, its_handle_may_go_while_it_runs) {
  std::optional<rule> p;
  int calls = 0;
  p.emplace(treadle::on("destroy", [&](const events::custom&) {
    ++calls;
    p.reset();
  }));
  events::emit("destroy");
  events::emit("destroy");
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(p);

  std::atomic<int> ticks{0};
  std::optional<rule> clock;
  std::atomic<bool> ready{false};
  clock.emplace(treadle::every(1ms, [&] {
    if (!ready) return;
    clock.reset();
    ++ticks;
  }));
  ready = true;
  EXPECT_TRUE(wait_until([&] { return ticks == 1; }));
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(ticks, 1);
}

TEST(rule, an_exception_ends_it_and_is_told) {
  const double failures = read("/rules/count/failures");
  int failed_events = 0, calls = 0, good = 0;
  const rule watching = treadle::on("rule failed", [&](const events::custom&) { ++failed_events; });
  const rule fine = treadle::on("work", [&](const events::custom&) { ++good; });
  const rule bad = treadle::on("work", [&](const events::custom&) {
    ++calls;
    throw std::runtime_error("no such luck");
  });
  EXPECT_FALSE(bad.failed());
  EXPECT_EQ(bad.message(), "");
  for (int i = 0; i < 3; ++i) events::emit("work");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(good, 3);
  EXPECT_TRUE(bad.failed());
  EXPECT_EQ(bad.message(), "rule on 'work' threw: no such luck");
  EXPECT_EQ(failed_events, 1);
  EXPECT_EQ(read("/rules/count/failures"), failures + 1);

  rule periodic = treadle::every(1ms, [] { throw 7; });
  EXPECT_TRUE(wait_until([&] { return periodic.failed(); }));
  EXPECT_NE(periodic.message().find("every 1.0"), std::string::npos) << periodic.message();
  EXPECT_EQ(read("/rules/count/failures"), failures + 2);
}

TEST(rule, the_end_of_one_periodic_is_not_the_end_of_others) {
  std::atomic<int> calls{0};
  std::optional<rule> first(treadle::every(1ms, [] {}));
  const rule second = treadle::every(1ms, [&] { ++calls; });
  first.reset();
  const int then = calls;
  EXPECT_TRUE(wait_until([&] { return calls > then + 2; }));
  std::atomic<int> later{0};
  const rule third = treadle::every(1ms, [&] { ++later; }); // the same period again
  EXPECT_TRUE(wait_until([&] { return later > 2; }));
}

TEST(rule, coming_and_going_takes_no_event_from_others) {
  std::atomic<int> counted{0};
  const rule counting = treadle::on("count me", [&](const events::custom&) { ++counted; });
  std::atomic<bool> over{false};
  std::thread changing([&] {
    while (!over) {
      const rule a = treadle::on("count me", [](const events::custom&) {});
      const rule b = treadle::every(1h, [] {});
    }
  });
  constexpr int k_threads = 3, k_events = 3000;
  std::vector<std::thread> raising;
  for (int t = 0; t < k_threads; ++t) {
    raising.emplace_back([] {
      for (int i = 0; i < k_events; ++i) events::emit("count me");
    });
  }
  for (auto& t : raising) t.join();
  over = true;
  changing.join();
  EXPECT_EQ(counted, k_threads * k_events);
}

TEST(rule, calls_never_overlap) {
  int inside = 0; // no atomic: it is guarded by the rule
  std::uint64_t calls = 0;
  const rule p = treadle::on("alone", [&](const events::custom&) {
    EXPECT_EQ(++inside, 1);
    ++calls;
    --inside;
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) events::emit("alone");
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(calls, 8000u);
  EXPECT_EQ(p.calls(), 8000u);
}

TEST(rule, its_end_waits_for_the_last_call) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> alive{true};
    std::optional<rule> p(treadle::on("last call", [&](const events::custom&) {
      EXPECT_TRUE(alive);
      std::this_thread::sleep_for(100us);
      EXPECT_TRUE(alive);
    }));
    std::atomic<bool> over{false};
    std::thread raising([&] {
      while (!over) events::emit("last call");
    });
    std::this_thread::sleep_for(200us);
    p.reset();
    alive = false;
    over = true;
    raising.join();
  }
}

TEST(rule, two_may_end_each_other_from_inside) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> inside{0};
    const auto meet = [&] {
      ++inside;
      while (inside < 2) std::this_thread::yield();
    };
    rule by_event, by_clock;
    std::atomic<bool> ready{false}, ended{false};
    by_clock = treadle::every(1ms, [&] {
      if (!ready.exchange(false)) return;
      meet();
      by_event.end();
      ended = true;
    });
    by_event = treadle::on("meet", [&](const events::custom&) {
      meet();
      by_clock.end();
    });
    ready = true;
    events::emit("meet");
    EXPECT_TRUE(wait_until([&] { return ended.load(); }));
    EXPECT_EQ(inside, 2);
  }
}

TEST(rule, is_told_that_it_has_failed_itself) {
  int calls = 0;
  const rule any = treadle::on<events::custom>([&](const events::custom&) {
    ++calls;
    throw 1;
  });
  events::emit("anything");
  EXPECT_TRUE(any.failed());
  EXPECT_EQ(calls, 1);
}

TEST(rule, a_listener_and_a_rule_may_end_each_other_from_inside) {
  std::atomic<int> inside{0};
  std::atomic<bool> ready{false}, ended{false};
  const auto meet = [&] {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  };
  std::optional<events::subscription> listener;
  rule by_clock = treadle::every(1ms, [&] {
    if (!ready.exchange(false)) return;
    meet();
    listener.reset();
    ended = true;
  });
  listener.emplace(events::on<events::custom>([&](const events::custom& e) {
    if (e.name != "meet") return;
    meet();
    by_clock.end();
  }));
  ready = true;
  events::emit("meet");
  EXPECT_TRUE(wait_until([&] { return ended.load(); }));
}

/// What it waits for may wait for the end of its call: no thread is left to go on.
TEST(rule, must_not_wait_for_tasks_on_any_thread) {
  treadle::runtime runtime({.workers = 1});
  const auto waits = [](rule& r) {
    EXPECT_TRUE(wait_until([&] { return r.failed(); }));
    EXPECT_NE(r.message().find("a listener or rule must not wait for tasks"), std::string::npos) << r.message();
  };
  treadle::promise<void> never;
  const auto later = never.get_future().share();
  rule by_clock = treadle::every(1ms, [&] { later.get(); });
  waits(by_clock);
  treadle::async([&] { by_clock.end(); }).get();
  rule by_event = treadle::on("ask", [&](const events::custom&) { later.get(); });
  treadle::async([] { events::emit("ask", 0); }).get();
  waits(by_event);
  rule outside = treadle::on("ask outside", [&](const events::custom&) { later.get(); });
  events::emit("ask outside", 0);
  waits(outside);
  rule on_all = treadle::every(1ms, [] { treadle::runtime::current().wait_idle(); });
  waits(on_all);
}

} // namespace
