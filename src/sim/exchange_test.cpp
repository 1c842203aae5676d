#include <treadle/sim/exchange.hpp>

#include "decide/coalescing_choices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <vector>

namespace treadle::sim {
namespace {

constexpr coalescing k_off{.how = coalescing_kind::off}, k_adaptive{};
coalescing paper(unsigned parcels, std::int64_t interval_ns) {
  return {.how = coalescing_kind::paper, .parcels = parcels, .interval_ns = interval_ns};
}

/// Two localities that ask each other once: work, a message there, a message back, by hand.
TEST(exchange, a_request_takes_what_its_parts_take) {
  const message_costs costs{.latency_ns = 1000, .overhead_ns = 500, .byte_ns = 2, .parcel_ns = 50};
  const exchange once{
      .localities = 2, .requests = 1, .phases = 3, .work_ns = 200, .request_bytes = 24, .answer_bytes = 32};
  for (const coalescing& how : {k_off, k_adaptive}) {
    const exchange_result found = simulate(once, costs, how);
    const double there = 50 + 500 + 1000 + 2 * 24 + 500 + 50, back = 50 + 500 + 1000 + 2 * 32 + 500 + 50;
    EXPECT_NEAR(found.seconds * 1e9, 3 * (200 + there + back), 1e-3);
    EXPECT_NEAR(found.answer_ns, there + back, 1e-6);
    EXPECT_EQ(found.parcels, 3U * 2 * 2);
    EXPECT_EQ(found.messages, 3U * 2 * 2);
    EXPECT_NEAR(found.overhead, 100 * 4 * 500 / (200 + there + back), 1e-6); // each sends two and receives two
  }
}

/// Whatever travels together, every request is answered, and nothing is faster than the work of a locality.
TEST(exchange, all_are_answered) {
  for (const unsigned localities : {2U, 3U, 7U, 32U}) {
    for (const coalescing& how :
         {k_off, k_adaptive, paper(1, 0), paper(50, 100'000), paper(4, 1000), paper(100'000, 50)}) {
      const exchange what{.localities = localities, .partners = 5, .requests = 300, .phases = 2};
      const exchange_result found = simulate(what, {}, how), again = simulate(what, {}, how);
      EXPECT_EQ(found.parcels, std::uint64_t{localities} * 300 * 2 * 2);
      EXPECT_LE(found.messages, found.parcels);
      EXPECT_GE(found.seconds * 1e9, 2 * 300 * (200 + 4 * 50)); // work, and four parcels for each request
      EXPECT_EQ(found.seconds, again.seconds);
      if (how.how == coalescing_kind::off) {
        EXPECT_EQ(found.messages, found.parcels);
        EXPECT_GE(found.seconds * 1e9, 2 * 300 * (200 + 4 * 50 + 4 * 500));
      }
    }
  }
}

TEST(exchange, messages_that_cost_much_are_worth_waiting_for) {
  const exchange what{.localities = 8, .requests = 2000};
  const message_costs dear{.latency_ns = 5000, .overhead_ns = 3000};
  const coalescing held{.hold_ns = 50'000, .bytes = 16'384};
  const exchange_result alone = simulate(what, dear, k_off), together = simulate(what, dear, held);
  EXPECT_LT(together.seconds, alone.seconds / 2);
  EXPECT_LT(together.overhead, alone.overhead);
  EXPECT_GT(static_cast<double>(together.parcels) / static_cast<double>(together.messages), 2); // answers do not wait
  // The more there are to send to, the less there is for each.
  const exchange many{.localities = 64, .requests = 2000};
  const exchange_result spread = simulate(many, dear, held);
  EXPECT_LT(static_cast<double>(spread.parcels) / static_cast<double>(spread.messages),
            static_cast<double>(together.parcels) / static_cast<double>(together.messages));
}

/// As a program does at its beginning: with many parcels it comes to what is best of all choices,
/// at the price of some tries; with few, nothing is tried.
TEST(exchange, adaptive_finds_out_what_is_best) {
  const message_costs dear{.latency_ns = 5000, .overhead_ns = 3000};
  const auto seconds = [&](std::uint64_t requests, const coalescing& how) {
    return simulate({.localities = 4, .requests = requests}, dear, how).seconds;
  };
  double best = std::numeric_limits<double>::infinity(); // for 10'000
  for (const coalescing& one : choices(k_adaptive)) best = std::min(best, seconds(10'000, one));
  const coalescing begins = decide::coalescing_choices(k_adaptive).first_settings();
  const double first = seconds(30'000, k_adaptive), next = seconds(60'000, k_adaptive) - first;
  EXPECT_LT(next, 3 * best * 1.05);
  EXPECT_GT(first, next);
  EXPECT_LT(first, seconds(30'000, begins) / 3);
  EXPECT_EQ(seconds(1000, k_adaptive), seconds(1000, begins));
}

TEST(exchange, choices_are_those_that_a_program_has) {
  EXPECT_EQ(choices(k_off), std::vector<coalescing>{k_off});
  const std::vector<coalescing> all = choices(k_adaptive);
  EXPECT_GT(all.size(), 10U);
  EXPECT_EQ(choices(all.back()), std::vector<coalescing>{all.back()});
}

TEST(exchange, what_cannot_be_is_refused) {
  EXPECT_EQ(simulate({.requests = 0}, {}, k_off).seconds, 0);
  EXPECT_THROW(simulate({.localities = 1}, {}, k_off), std::invalid_argument);
  EXPECT_THROW(simulate({.localities = 1U << 20U}, {}, k_off), std::invalid_argument);
  EXPECT_THROW(simulate({.partners = 0}, {}, k_off), std::invalid_argument);
  EXPECT_THROW(simulate({.work_ns = -1}, {}, k_off), std::invalid_argument);
  EXPECT_THROW(simulate({}, {.overhead_ns = std::nan("")}, k_off), std::invalid_argument);
  EXPECT_THROW(simulate({}, {}, {.how = coalescing_kind::paper_adaptive}), std::invalid_argument);
}

} // namespace
} // namespace treadle::sim
