#include "parcel/transport/delays.hpp"

#include "base/clock.hpp"
#include "parcel/coalescing/coalescing_text.hpp"
#include "parcel/transport/shared_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace treadle::detail {
namespace {

struct arrivals final : message_sink {
  void arrived(unsigned, std::span<const std::byte> message) override {
    at_ns.push_back(steady_now_ns());
    bytes.push_back(message.size());
  }
  std::vector<std::int64_t> at_ns;
  std::vector<std::size_t> bytes;
};

TEST(delays, nothing_arrives_earlier_than_a_network_would_carry_it) {
  const shared_file file;
  const network_delays of{.latency_ns = 300'000, .overhead_ns = 2000, .gap_ns = 10'000, .ps_per_byte = 1'000'000};
  const auto a = with_delays(file.open(0, 2), of), b = with_delays(file.open(1, 2), of);
  arrivals got;
  const std::int64_t begun = steady_now_ns();
  const std::vector<std::byte> small(1), large(100);
  EXPECT_TRUE(a->is_free(1));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(a->send(1, small)); // 10 us each on the wire
  EXPECT_TRUE(a->send(1, large));                             // 100 us
  EXPECT_GE(steady_now_ns() - begun, 6 * of.overhead_ns);
  while (got.bytes.size() < 6) b->poll(got);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_GE(got.at_ns[i] - begun, static_cast<std::int64_t>(i + 1) * of.gap_ns + of.latency_ns);
  EXPECT_GE(got.at_ns[5] - begun, 5 * of.gap_ns + 100'000 + of.latency_ns);
  EXPECT_EQ(got.bytes, (std::vector<std::size_t>{1, 1, 1, 1, 1, 100}));
}

template <class F>
std::string complaint(F parse, const char* text) {
  try {
    parse(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(delays, are_read_and_refused) {
  const network_delays all = parse_network_delays("5000,500,200,100");
  EXPECT_EQ(all.latency_ns, 5000);
  EXPECT_EQ(all.overhead_ns, 500);
  EXPECT_EQ(all.gap_ns, 200);
  EXPECT_EQ(all.ps_per_byte, 100);
  for (const char* bad :
       {"", "1", "1,2,3", "1,2,3,", "1,2,3,4,", "1,2,3,4,5", "1,2,-3,4", "1,,3,4", "x", "1,2,3,2000000000"})
    EXPECT_EQ(complaint(parse_network_delays, bad).find("TREADLE_NETWORK: expected"), 0U) << bad;
}

TEST(coalescing_text, is_read_and_refused) {
  EXPECT_EQ(parse_coalescing("off").how, coalescing_kind::off);
  EXPECT_EQ(parse_coalescing("adaptive").how, coalescing_kind::adaptive);
  EXPECT_EQ(parse_coalescing("adaptive").hold_ns, coalescing::k_found_out);
  const coalescing held = parse_coalescing("adaptive:3,4096");
  EXPECT_EQ(held.hold_ns, 3000);
  EXPECT_EQ(held.bytes, 4096);
  EXPECT_EQ(parse_coalescing("paper").parcels, 50U);
  const coalescing some = parse_coalescing("paper:7,250");
  EXPECT_EQ(some.how, coalescing_kind::paper);
  EXPECT_EQ(some.parcels, 7U);
  EXPECT_EQ(some.interval_ns, 250'000);
  const coalescing searched = parse_coalescing("paper-adaptive");
  EXPECT_EQ(searched.how, coalescing_kind::paper_adaptive);
  EXPECT_EQ(searched.search, search_strategy::parallel_rank_order);
  EXPECT_EQ(searched.every, 5000);
  const coalescing other = parse_coalescing("paper-adaptive:nelder-mead,start=8/40,every=20 ms,seed=9");
  EXPECT_EQ(other.search, search_strategy::nelder_mead);
  EXPECT_EQ(other.parcels, 8U);
  EXPECT_EQ(other.interval_ns, 40'000);
  EXPECT_EQ(other.trigger, coalescing_trigger::period);
  EXPECT_EQ(other.every, 20'000'000);
  EXPECT_EQ(other.seed, 9U);
  EXPECT_TRUE(parse_coalescing("paper-adaptive:start=random").starts_at_random);
  EXPECT_EQ(parse_coalescing("paper-adaptive:every=100 messages").trigger, coalescing_trigger::messages);
  EXPECT_EQ(parse_coalescing("paper-adaptive:every=event,seed=2").trigger, coalescing_trigger::event);
  EXPECT_EQ(parse_coalescing("paper-adaptive:every=100").trigger, coalescing_trigger::parcels);
  for (const char* bad :
       {"", "on", "paper:", "paper:5", "paper:5,", "paper:0,5", "paper:5,x", "paper:5,5,5", "paper:5,9999999", "off:1",
        "adaptive:", "adaptive:5", "adaptive:5,-1", "paper-adaptive:", "paper-adaptive:x", "paper-adaptive:start=5",
        "paper-adaptive:every=0", "paper-adaptive:every=5 days", "paper-adaptive:nelder-mead,"})
    EXPECT_EQ(complaint(parse_coalescing, bad).find("TREADLE_COALESCING: expected"), 0U) << bad;
}

} // namespace
} // namespace treadle::detail
