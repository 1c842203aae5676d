// The kinds of coalescing on a simulated sender, wire and receiver: o of a processor for each message, g for each
// parcel, a latency, a time per byte (LogGP).
#include "decide/coalescing.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace treadle::decide {
namespace {

struct network {
  double overhead_ns = 500, parcel_ns = 20, latency_ns = 1000, byte_ns = 0.1;
};

struct delivery {
  std::uint64_t messages = 0;
  double seconds = 0;    ///< until the last one has arrived
  double latency_ns = 0; ///< from when a parcel came to when it has arrived, in the mean
  double longest_ns = 0;
  std::vector<int> arrived; ///< in their order
};

/// `gaps`: the sender's other work before each parcel.
delivery deliver(const coalescing& s, const network& of, const std::vector<double>& gaps, std::size_t bytes = 16) {
  gathering gathered;
  delivery result;
  std::vector<std::pair<int, double>> waiting; // and when they came
  double now = 1e6, free_at = 0, receiver = 0;
  const auto is_free = [&] { return now >= free_at; };
  const auto send = [&] {
    now += of.overhead_ns;
    free_at = std::max(free_at, now) + of.byte_ns * static_cast<double>(bytes * waiting.size());
    double at = std::max(receiver, free_at + of.latency_ns) + of.overhead_ns;
    for (const auto& [number, came] : waiting) {
      at += of.parcel_ns;
      result.arrived.push_back(number);
      result.latency_ns += at - came;
      result.longest_ns = std::max(result.longest_ns, at - came);
    }
    receiver = at;
    free_at = std::max(free_at, at); // the receiver has read it
    waiting.clear();
    ++result.messages;
  };
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    for (double left = gaps[i]; left > 0;) { // others look meanwhile
      const double step = std::min(left, 1000.0);
      now += step;
      left -= step;
      if (gathered.look(s, static_cast<std::int64_t>(now), is_free)) send();
    }
    now += of.parcel_ns;
    waiting.emplace_back(static_cast<int>(i), now);
    if (gathered.put(s, [&] { return static_cast<std::int64_t>(now); }, bytes, is_free)) send();
  }
  if (gathered.flush()) send();
  EXPECT_TRUE(waiting.empty());
  EXPECT_FALSE(gathered.flush());
  result.seconds = (receiver - 1e6) / 1e9;
  result.latency_ns /= static_cast<double>(gaps.size());
  return result;
}

const coalescing k_off{.how = coalescing_kind::off}, k_paper{.how = coalescing_kind::paper}, k_adaptive{};

TEST(coalescing, every_parcel_arrives_once_in_its_order) {
  detail::xorshift random(9);
  for (int round = 0; round < 300; ++round) {
    const auto up_to = [&](double most) { return most * static_cast<double>(random.below(1001)) / 1000; };
    coalescing s{.how = static_cast<coalescing_kind>(random.below(3)),
                 .parcels = 1 + static_cast<unsigned>(random.below(100)),
                 .interval_ns = static_cast<std::int64_t>(up_to(1e5)),
                 .hold_ns = static_cast<std::int64_t>(up_to(2e4)),
                 .bytes = static_cast<std::size_t>(random.below(5000))};
    std::vector<double> gaps(500);
    for (double& gap : gaps) gap = random.below(20) == 0 ? up_to(3e5) : up_to(1000);
    const delivery got = deliver(s, {up_to(5000), up_to(100), up_to(50'000), up_to(1)}, gaps, 1 + random.below(3000));
    ASSERT_EQ(got.arrived.size(), gaps.size());
    for (int i = 0; i < 500; ++i) ASSERT_EQ(got.arrived[static_cast<std::size_t>(i)], i);
    EXPECT_LE(got.messages, gaps.size());
    if (s.how == coalescing_kind::off) {
      EXPECT_EQ(got.messages, gaps.size());
    }
  }
}

TEST(coalescing, the_papers_sends_full_messages_or_what_there_is_after_the_interval) {
  EXPECT_EQ(deliver(k_paper, {}, std::vector<double>(5000, 10)).messages, 5000U / 50 + 1); // the first one is sparse
  const delivery slow = deliver(k_paper, {}, std::vector<double>(1000, 20'000));           // five in an interval
  EXPECT_NEAR(static_cast<double>(slow.messages), 1000 / 5.0, 20);
  EXPECT_LT(slow.longest_ns, 100'000 + 5000);
}

TEST(coalescing, sparse_parcels_wait_for_nothing) {
  const std::vector<double> sparse(200, 300'000);
  const double at_once = deliver(k_off, {}, sparse).latency_ns;
  EXPECT_EQ(deliver(k_paper, {}, sparse).latency_ns, at_once);
  EXPECT_EQ(deliver(k_adaptive, {}, sparse).latency_ns, at_once);
  coalescing holds = k_adaptive;
  holds.hold_ns = 50'000;
  EXPECT_EQ(deliver(holds, {}, sparse).latency_ns, at_once);
}

/// One comes while the wire is free, the others while it is on its way: n = rate * (time of a message).
TEST(coalescing, messages_become_as_large_as_the_wire_needs) {
  for (const double overhead : {300.0, 1000.0, 10'000.0}) {
    for (const double gap : {50.0, 200.0, 1000.0}) {
      const network of{.overhead_ns = overhead, .parcel_ns = 10, .latency_ns = 2000};
      const std::vector<double> gaps(20'000, gap);
      const delivery at_once = deliver(k_off, of, gaps), gathered = deliver(k_adaptive, of, gaps);
      EXPECT_LE(gathered.seconds, at_once.seconds * 1.001) << overhead << ' ' << gap;
      const double on_its_way = of.latency_ns + overhead; // behind the sender's own overhead, during which none comes
      const double expected = std::max(on_its_way / (gap + of.parcel_ns), 1.0);
      const double parcels = static_cast<double>(gaps.size()) / static_cast<double>(gathered.messages);
      EXPECT_GT(parcels, expected * 0.8) << overhead << ' ' << gap;
      EXPECT_LT(parcels, expected * 2 + 3) << overhead << ' ' << gap;
    }
  }
}

TEST(coalescing, holding_pays_where_the_processor_is_what_limits) {
  const network of{.overhead_ns = 2000, .parcel_ns = 10, .latency_ns = 100};
  const std::vector<double> gaps(50'000, 20);
  coalescing holds = k_adaptive;
  holds.hold_ns = 20'000;
  EXPECT_LT(deliver(holds, of, gaps).seconds, deliver(k_adaptive, of, gaps).seconds * 0.8);
}

TEST(coalescing, no_message_is_larger_than_allowed) {
  coalescing s = k_adaptive;
  s.bytes = 1000;
  s.hold_ns = 1'000'000;
  const delivery got = deliver(s, {}, std::vector<double>(10'000, 1), 100);
  EXPECT_GE(got.messages, 10'000U * 100 / 1000);
}

} // namespace
} // namespace treadle::decide
