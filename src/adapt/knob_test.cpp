#include <treadle/tune/knob.hpp>

#include "adapt/refusal.hpp"

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

TEST(knob, tells_what_it_has_become) {
  knob<int> k("k", steps(1, 9), 1);
  std::vector<int> told;
  k.on_change([&](int value) { told.push_back(value); });
  k.set(1);
  k.set(5);
  k.set(2);
  EXPECT_EQ(told, (std::vector<int>{5, 2}));
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

} // namespace
