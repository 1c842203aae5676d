// The kinds of coalescing on a simulated sender, wire and receiver.
#include "decide/coalescing.hpp"

#include "base/rng.hpp"
#include "decide/coalescing_choices.hpp"
#include "decide/coalescing_start.hpp"
#include "decide/simulated_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace treadle::decide {
namespace {

struct delivery {
  std::uint64_t messages = 0;
  double seconds = 0;    ///< until the last one has arrived
  double latency_ns = 0; ///< in the mean
  double longest_ns = 0;
  std::vector<int> arrived;
};

/// `gaps`: the sender's other work before each parcel.
delivery deliver(const coalescing& s, const network& of, const std::vector<double>& gaps, std::size_t bytes = 16) {
  delivery result;
  simulated_sender sender(of, bytes);
  sender.arrived = &result.arrived;
  for (const double gap : gaps) sender.send(s, gap);
  sender.flush();
  EXPECT_EQ(result.arrived.size(), gaps.size());
  result.messages = sender.messages;
  result.seconds = (sender.receiver_ns - simulated_sender::k_start_ns) / 1e9;
  result.latency_ns = sender.latency_ns / static_cast<double>(gaps.size());
  result.longest_ns = sender.longest_ns;
  return result;
}

const coalescing k_off{.how = coalescing_kind::off}, k_paper{.how = coalescing_kind::paper},
    k_adaptive = coalescing_choices({}).first_settings();

TEST(coalescing, every_parcel_arrives_once_in_its_order) {
  detail::xorshift random(9);
  for (int round = 0; round < 300; ++round) {
    const auto up_to = [&](double most) { return most * static_cast<double>(random.below(1001)) / 1000; };
    coalescing s{.how = static_cast<coalescing_kind>(random.below(3)),
                 .parcels = 1 + static_cast<unsigned>(random.below(100)),
                 .interval_ns = static_cast<std::int64_t>(up_to(1e5)),
                 .hold_ns = static_cast<std::int64_t>(up_to(2e4)),
                 .bytes = static_cast<std::int64_t>(random.below(5000))};
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

/// put() asks nothing, and lets nothing leave, for as many bytes as bytes_without_a_look() says.
TEST(coalescing, bytes_without_a_look_are_just_added) {
  detail::xorshift random(3);
  for (int round = 0; round < 500; ++round) {
    coalescing s = k_adaptive;
    s.how = static_cast<coalescing_kind>(random.below(3));
    s.hold_ns = random.below(2) * random.below(20'000);
    s.bytes = 1 + static_cast<std::int64_t>(random.below(20'000));
    gathering one_by_one, at_once;
    double now = 1e6;
    for (int step = 0; step < 200; ++step) {
      const std::size_t bytes = 8 + random.below(100);
      unsigned asked = 0;
      const bool is_free = random.below(4) == 0;
      const auto put = [&](gathering& to) {
        return to.put(
            s, false, [&] { return ++asked, static_cast<std::int64_t>(now); }, bytes, [&] { return ++asked, is_free; });
      };
      const std::size_t free_of_looks = one_by_one.bytes_without_a_look(s);
      ASSERT_EQ(free_of_looks, at_once.bytes_without_a_look(s));
      const bool leaves = put(one_by_one);
      if (bytes <= free_of_looks) {
        EXPECT_EQ(asked, 0U);
        EXPECT_FALSE(leaves);
        at_once.add(1, bytes);
      } else {
        EXPECT_EQ(put(at_once), leaves);
      }
      now += random.below(1000);
    }
  }
}

/// The wire is free, and parcels come steadily: they leave soon after the end of the hold, or with the bytes.
TEST(coalescing, a_hold_ends_about_in_time) {
  for (const std::int64_t hold_ns : {1000, 10'000, 100'000}) {
    for (const std::int64_t gap_ns : {10, 100, 3000}) {
      const coalescing s{.hold_ns = hold_ns, .bytes = 1 << 20};
      gathering all;
      std::int64_t now = 1'000'000'000, first = 0;
      int messages = 0;
      for (int i = 0; i < 200'000 && messages < 5; ++i, now += gap_ns) {
        if (first == 0) first = now;
        if (!all.put(s, false, [&] { return now; }, 24, [] { return true; })) continue;
        if (messages++ > 0) { // the very first parcel is sparse
          EXPECT_GE(now - first, gap_ns > hold_ns ? 0 : hold_ns);
          EXPECT_LE(now - first, hold_ns * 3 / 2 + 9 * gap_ns) << hold_ns << ' ' << gap_ns;
        }
        first = 0;
      }
      EXPECT_EQ(messages, 5) << hold_ns << ' ' << gap_ns;
    }
  }
}

TEST(coalescing_choices, know_where_messages_are_not_felt) {
  const coalescing_choices usual({});
  const auto felt_least = [&](double message_ns, double parcel_ns, double bytes) {
    return usual.text(usual.least_felt(message_ns, parcel_ns, bytes));
  };
  EXPECT_EQ(felt_least(0.5, 100, 16), "0 us, 1024 bytes");      // less than 1 % with one parcel each
  EXPECT_EQ(felt_least(100, 100, 16), "10 us, 2048 bytes");     // with 100 of them
  EXPECT_EQ(felt_least(1e6, 1, 64), "2 us, 65536 bytes");       // the bytes are the limit
  EXPECT_EQ(felt_least(1e6, 1000, 64), "2000 us, 65536 bytes"); // as many as there can be
  const coalescing_choices given({.hold_ns = 1500});
  EXPECT_EQ(given.settings(given.least_felt(1e6, 1, 64)).hold_ns, 1500);
}

/// Parcels go to some of many destinations by chance: the more there are, the longer it takes until there are several
/// for one.
TEST(coalescing_start, goes_on_to_longer_waits_where_there_are_many_destinations) {
  const coalescing_choices all({});
  for (const double destinations : {1.0, 3.0, 15.0, 63.0, 255.0}) {
    for (const double parcel_ns : {200.0, 1000.0, 4000.0}) {
      for (const double message_ns : {500.0, 3000.0, 20'000.0}) {
        const auto messages_with = [&](tune::arm at) { // the first parcel, and those that come while it waits
          const coalescing s = all.settings(at);
          const double more = static_cast<double>(s.hold_ns) / (parcel_ns * destinations);
          return 1 / std::min(1 + more, static_cast<double>(s.bytes) / 24);
        };
        const auto true_ns = [&](tune::arm at) { return parcel_ns + message_ns * messages_with(at); };
        coalescing_start start(all);
        while (!start.is_over()) {
          const double ns = true_ns(start.at()), parcels = 3e6 / ns;
          start.add({parcels, parcels * messages_with(start.at()), parcels * 24, parcels * ns, destinations});
        }
        double least_ns = true_ns(0), found_ns = true_ns(all.start());
        for (tune::arm at = 0; at < all.over().size(); ++at) least_ns = std::min(least_ns, true_ns(at));
        for (const tuned_point& one : start.measured()) found_ns = std::min(found_ns, true_ns(one.at));
        EXPECT_LT(found_ns, 1.1 * least_ns) << destinations << ' ' << parcel_ns << ' ' << message_ns;
      }
    }
  }
}

/// A wait that each parcel pays for is not followed by longer ones.
TEST(coalescing_start, does_not_wait_longer_where_parcels_take_longer) {
  const coalescing_choices all({});
  coalescing_start start(all);
  std::int64_t longest_ns = 0;
  while (!start.is_over()) {
    const std::int64_t hold_ns = all.settings(start.at()).hold_ns;
    longest_ns = std::max(longest_ns, hold_ns);
    const double ns = 1000 + static_cast<double>(hold_ns), parcels = 30e6 / ns;
    start.add({parcels, parcels, parcels * 24, parcels * ns, 15});
  }
  EXPECT_EQ(longest_ns, 100'000);
}

/// Parcels of two kinds travel together, but what should not be held is not kept for long by what is.
TEST(coalescing, a_parcel_without_a_hold_waits_for_those_with_one_only_for_a_moment) {
  const coalescing held{.hold_ns = 5'000'000, .bytes = 16 << 10}, at_once{.hold_ns = 0, .bytes = 16 << 10};
  std::int64_t now = 1'000'000'000;
  gathering all;
  const auto put = [&](const coalescing& s) {
    return all.put(s, false, [&] { return now += 100; }, 24, [] { return true; });
  };
  const auto leaves = [&] { return all.look(held, now, [] { return true; }); };
  for (const auto& [kind, waits_ns] : {std::pair{held, 5'000'000}, std::pair{at_once, 100'000}}) {
    now += 10'000'000;
    EXPECT_TRUE(put(held)); // sparse
    EXPECT_FALSE(put(held));
    const std::int64_t begins_ns = now;
    EXPECT_FALSE(put(kind));
    now = begins_ns + waits_ns - 1;
    EXPECT_FALSE(leaves());
    now = begins_ns + waits_ns;
    EXPECT_TRUE(leaves());
  }
}

/// Half of the windows are disturbed.
TEST(coalescing_start, finds_a_good_choice_on_a_machine_that_is_disturbed) {
  const coalescing_choices all({});
  detail::xorshift random(6);
  const auto share = [&] { return static_cast<double>(random.below(1000)) / 1000; };
  int good = 0;
  constexpr int k_programs = 300;
  for (int program = 0; program < k_programs; ++program) {
    const double parcel_ns = 10 + 200 * share(), message_ns = parcel_ns * (1 + 100 * share());
    const auto messages_with = [&](tune::arm at) {
      const coalescing s = all.settings(at);
      return 1 /
             std::max(10.0, std::min(static_cast<double>(s.hold_ns) / parcel_ns, static_cast<double>(s.bytes) / 24));
    };
    const auto true_ns = [&](tune::arm at) { return parcel_ns + message_ns * messages_with(at); };
    coalescing_start start(all);
    int windows = 0;
    for (; !start.is_over(); ++windows) {
      const double disturbance = random.below(2) == 0 ? 1 + share() : 1;
      const double ns = true_ns(start.at()) * disturbance, parcels = 3e6 / ns;
      start.add({parcels, parcels * messages_with(start.at()), parcels * 24, parcels * ns});
    }
    EXPECT_LE(windows, 10);
    const std::vector<tuned_point> measured = start.measured();
    const auto best = std::min_element(measured.begin(), measured.end(),
                                       [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
    double least_ns = true_ns(0);
    for (tune::arm at = 0; at < all.over().size(); ++at) least_ns = std::min(least_ns, true_ns(at));
    good += true_ns(best->at) < 1.1 * least_ns;
  }
  EXPECT_GT(good, k_programs * 9 / 10) << good;
}

TEST(coalescing_choices, begin_with_what_was_asked_for) {
  EXPECT_EQ(k_adaptive.hold_ns, 0);
  EXPECT_EQ(k_adaptive.bytes, 16 << 10);
  const coalescing_choices usual({});
  EXPECT_EQ(usual.text(usual.start()), "0 us, 16384 bytes");
  EXPECT_EQ(usual.all(), "0 us .. 5000 us, 1024 .. 65536 bytes");
  const coalescing_choices given({.hold_ns = 1500, .bytes = 3});
  EXPECT_EQ(given.over().size(), 1U);
  EXPECT_EQ(given.text(0), "1.500 us, 3 bytes");
  EXPECT_EQ(coalescing_choices({.hold_ns = 7}).over().size(), 7U);
  const coalescing_choices paper({.how = coalescing_kind::paper_adaptive, .parcels = 64});
  EXPECT_EQ(paper.text(paper.start()), "100 us, 64 parcels");
  EXPECT_EQ(paper.settings(paper.start()).how, coalescing_kind::paper);
  EXPECT_EQ(paper.all(), "1 us .. 5000 us, 1 .. 1000 parcels");
  const auto random_start = [](std::uint64_t seed) {
    const coalescing_choices all({.how = coalescing_kind::paper_adaptive, .starts_at_random = true, .seed = seed});
    return all.text(all.start());
  };
  EXPECT_EQ(random_start(5), random_start(5));
  EXPECT_NE(random_start(5), random_start(6));
  EXPECT_EQ(coalescing_choices(k_paper).first_settings().parcels, 50U);
  EXPECT_EQ(coalescing_choices(k_off).first_settings().how, coalescing_kind::off);
}

} // namespace
} // namespace treadle::decide
