#include <treadle/tune/knob.hpp>

#include "control/refusal.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/observe/trace.hpp>
#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

namespace {

using treadle::knob;
using treadle::message_of;
using treadle::one_of;
using treadle::powers_of_two;
using treadle::steps;

TEST(domain, holds_what_it_says) {
  EXPECT_EQ(steps(1, 10, 3).values(), (std::vector<int>{1, 4, 7, 10}));
  EXPECT_EQ(steps(1, 9, 3).values(), (std::vector<int>{1, 4, 7}));
  EXPECT_EQ(steps(5, 5).values(), (std::vector<int>{5}));
  EXPECT_EQ(steps(0.0, 1.0, 0.1).values().size(), 11u);
  EXPECT_EQ(steps<std::int8_t>(-128, 127, 51).values(), (std::vector<std::int8_t>{-128, -77, -26, 25, 76, 127}));
  constexpr int k_most = std::numeric_limits<int>::max();
  constexpr auto k_longest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(steps(-k_longest - 1, k_longest, k_longest).values(),
            (std::vector<std::int64_t>{-k_longest - 1, -1, k_longest - 1}));
  EXPECT_EQ(steps(-k_most, k_most, k_most).values(), (std::vector<int>{-k_most, 0, k_most}));
  EXPECT_EQ(powers_of_two(1, 8).values(), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(powers_of_two(3, 13).values(), (std::vector<int>{3, 6, 12}));
  EXPECT_EQ(powers_of_two(1, std::numeric_limits<int>::max()).values().size(), 31u);
  EXPECT_EQ(powers_of_two(0.25, 1.0).values(), (std::vector<double>{0.25, 0.5, 1}));
  EXPECT_FALSE(one_of({3, 1}).ordered());
  EXPECT_TRUE(steps(1, 2).ordered());
}

TEST(domain, refuses_what_is_empty_or_endless) {
  EXPECT_EQ(message_of([] { steps(10, 1); }), "not a domain of a knob: steps(10, 1, 1)");
  EXPECT_NE(message_of([] { steps(1, 10, 0); }), "no error");
  EXPECT_NE(message_of([] { steps(1, 10, -1); }), "no error");
  EXPECT_NE(message_of([] { steps(0.0, 1.0, 1e-9); }), "no error");
  EXPECT_NE(message_of([] { steps(0.0, std::numeric_limits<double>::infinity(), 1.0); }), "no error");
  EXPECT_NE(message_of([] { steps(std::nan(""), 1.0, 1.0); }), "no error");
  EXPECT_NE(message_of([] { treadle::domain<int>(std::vector<int>(1'000'001), true); }), "no error");
  EXPECT_NE(message_of([] { powers_of_two(0, 8); }), "no error");
  EXPECT_NE(message_of([] { powers_of_two(8, 4); }), "no error");
  EXPECT_NE(message_of([] { one_of<int>({}); }), "no error");
  EXPECT_NE(message_of([] { one_of({1.0, std::nan("")}); }), "no error");
}

TEST(domain, refuses_what_is_there_twice) {
  const std::string refusal = "not a domain of a knob: a value is not a number, or is there twice";
  EXPECT_EQ(message_of([] { one_of({1, 1}); }), refusal);
  EXPECT_EQ(message_of([] { one_of({1, 2, 1}); }), refusal);
  EXPECT_EQ(message_of([] { one_of({0.0, 1.0, -0.0}); }), refusal);
  EXPECT_EQ(message_of([] { one_of({true, false, true}); }), refusal);
  EXPECT_EQ(message_of([] { one_of({3, 1, 2}); }), "no error");
}

TEST(knob, is_read_and_set) {
  knob<int> k("grain", powers_of_two(1, 64), 8);
  EXPECT_EQ(k.get(), 8);
  EXPECT_EQ(k.index(), 3u);
  k.set(64);
  EXPECT_EQ(k, 64);
  const auto message = message_of([&] { k.set(65); });
  EXPECT_NE(message.find("'grain'"), std::string::npos) << message;
  EXPECT_NE(message.find("65"), std::string::npos) << message;
  EXPECT_NE(message.find("1 to 64"), std::string::npos) << message;
  EXPECT_EQ(k, 64);
  EXPECT_NE(message_of([] { knob<int>("grain", steps(1, 3), 4); }), "no error");
  EXPECT_NE(message_of([] { knob<int>("", steps(1, 3), 1); }), "no error");
}

enum class order { fifo, lifo };

TEST(knob, holds_numbers_truth_and_enumerators) {
  knob<bool> b("b", one_of({false, true}), true);
  knob<order> e("e", one_of({order::fifo, order::lifo}), order::lifo);
  knob<double> d("d", steps(0.0, 1.0, 0.25), 0.5);
  EXPECT_TRUE(b);
  EXPECT_EQ(e.get(), order::lifo);
  EXPECT_EQ(e.text(1), "1");
  EXPECT_EQ(d, 0.5);
}

TEST(knob, is_set_by_what_people_write) {
  knob<double> d("written.d", steps(0.1, 1.0, 0.1), 0.3); // 0.1 + 2 * 0.1 is none of the numbers that 0.3 may be
  EXPECT_EQ(d.index(), 2u);
  treadle::set_knob("written.d", "0.7");
  EXPECT_EQ(d.index(), 6u);
  EXPECT_NE(message_of([] { treadle::set_knob("written.d", "0.75"); }), "no error");
  EXPECT_NE(message_of([] { treadle::set_knob("written.d", "0.7x"); }), "no error");
  knob<bool> b("written.b", one_of({false, true}), false);
  treadle::set_knob("written.b", "true");
  EXPECT_TRUE(b);
  treadle::set_knob("written.b", "0");
  EXPECT_FALSE(b);
  // Of two with one name each that can have the value gets it.
  knob<int> few("written.i", steps(1, 3), 1), many("written.i", steps(1, 9), 1);
  EXPECT_NE(message_of([] { treadle::set_knob("written.i", "5"); }).find("'written.i' cannot be 5"), std::string::npos);
  EXPECT_EQ(few, 1);
  EXPECT_EQ(many, 5);
  EXPECT_EQ(message_of([] { const knob<int> k("runtime.nap-ns", steps(1, 3), 1); }),
            "knob 'runtime.nap-ns': names that begin with 'runtime.' are the runtime's own");
}

TEST(knob, tells_what_it_has_become) {
  knob<int> k("k", steps(1, 9), 1);
  std::vector<int> told;
  k.on_change([&](int value) { told.push_back(value); });
  k.set(1);
  k.set(5);
  k.set(2);
  EXPECT_EQ(told, (std::vector<int>{5, 2}));
}

TEST(knob, whoever_is_told_may_set_it) {
  knob<int> k("k", steps(0, 9), 0);
  std::vector<int> told;
  k.on_change([&](int value) {
    told.push_back(value);
    if (value < 4) k.set(value + 1);
  });
  k.on_change([&](int value) { told.push_back(10 * value); });
  k.set(2);
  EXPECT_EQ(told, (std::vector<int>{2, 30, 3, 40, 4, 40})); // the second one is told what it has become meanwhile
  EXPECT_EQ(k, 4);
}

TEST(knob, all_are_told_though_one_throws) {
  knob<int> k("k", steps(0, 9), 0);
  int told = 0;
  k.on_change([](int) { throw std::runtime_error("no"); });
  k.on_change([&](int value) { told = value; });
  EXPECT_THROW(k.set(5), std::runtime_error);
  EXPECT_EQ(told, 5);
  EXPECT_THROW(k.set(6), std::runtime_error);
  EXPECT_EQ(k, 6);
}

TEST(knob, one_that_is_slow_to_be_told_holds_up_nobody_else) {
  knob<int> k("k", steps(0, 9), 0);
  std::atomic<int> calls{0}, at_once{0}, most{0};
  std::atomic<bool> open{false};
  k.on_change([&](int) {
    most = std::max<int>(most, ++at_once);
    ++calls;
    while (!open) std::this_thread::yield();
    --at_once;
  });
  std::thread slow([&] { k.set(1); });
  while (calls == 0) std::this_thread::yield();
  k.set(2); // returns
  EXPECT_EQ(k, 2);
  EXPECT_EQ(calls, 1);
  open = true;
  slow.join();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(most, 1);
}

TEST(knob, threads_read_and_set_it) {
  knob<int> k("k", steps(0, 9), 0);
  std::atomic<int> changes{0};
  k.on_change([&](int) { ++changes; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10'000; ++i) {
        const int value = k;
        ASSERT_TRUE(value >= 0 && value <= 9);
        if (i % 10 == 0) k.set((i + t) % 10);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(k.get(), k.values().values()[k.index()]);
  EXPECT_GT(changes.load(), 0);
}

treadle::knob_report report_of(const std::string& name) {
  for (const treadle::knob_report& r : treadle::knobs())
    if (r.name == name) return r;
  return {};
}

TEST(knob, is_in_the_list_while_it_lives) {
  const treadle::runtime publishes_counters({.workers = 1});
  EXPECT_EQ(report_of("listed").name, "");
  {
    knob<int> k("listed", powers_of_two(1, 64), 8);
    EXPECT_EQ(report_of("listed").value, "8");
    EXPECT_EQ(report_of("listed").values, "1 to 64, 7 of them");
    treadle::set_knob("listed", "32");
    EXPECT_EQ(k, 32);
    EXPECT_NE(message_of([] { treadle::set_knob("listed", "33"); }).find("'listed' cannot be 33"), std::string::npos);
    EXPECT_EQ(treadle::counters::counter("/knobs{listed}/value").value(), 32);
  }
  EXPECT_EQ(report_of("listed").name, "");
  EXPECT_NE(message_of([] { treadle::set_knob("listed", "1"); }).find("no knob 'listed'; there are "),
            std::string::npos);
}

TEST(knob, those_of_the_runtime_are_words_that_it_reads) {
  const std::string before = report_of("runtime.loop-chunk-ns").value;
  EXPECT_FALSE(report_of("runtime.loop-chunk-ns").meaning.empty());
  treadle::set_knob("runtime.loop-chunk-ns", "5000");
  EXPECT_EQ(report_of("runtime.loop-chunk-ns").value, "5000");
  for (const char* wrong : {"", "many", "5", "-1", "1e3", "99999999999999999999"})
    EXPECT_NE(message_of([&] { treadle::set_knob("runtime.loop-chunk-ns", wrong); }), "no error") << wrong;
  EXPECT_EQ(report_of("runtime.loop-chunk-ns").value, "5000");
  treadle::set_knob("runtime.loop-chunk-ns", before);
}

TEST(knob, values_are_in_traces_from_their_beginning_on) {
  knob<int> mine("traced", steps(0, 9), 7);
  treadle::trace recorded;
  mine.set(3);
  const std::string before = report_of("runtime.nap-ns").value;
  treadle::set_knob("runtime.nap-ns", "70000");
  {
    treadle::runtime rt({.workers = 2});
    rt.set_concurrency(1);
  }
  treadle::set_knob("runtime.nap-ns", before);
  recorded.stop();
  const std::string text = recorded.text("json");
  const auto has = [&](const std::string& name, const std::string& value) {
    for (std::size_t at = text.find("knob " + name); at != text.npos; at = text.find("knob " + name, at + 1))
      if (text.substr(at, text.find('\n', at) - at).find(value) != text.npos) return true;
    return false;
  };
  EXPECT_TRUE(has("traced", "7"));
  EXPECT_TRUE(has("traced", "3"));
  EXPECT_TRUE(has("runtime.nap-ns", before));
  EXPECT_TRUE(has("runtime.nap-ns", "70000"));
  EXPECT_TRUE(has("runtime.concurrency", "1"));
}

TEST(knob, a_program_cannot_begin_with_no_worker) {
  EXPECT_NE(message_of([] { treadle::set_knob("runtime.concurrency", "0"); }), "no error");
}

} // namespace
