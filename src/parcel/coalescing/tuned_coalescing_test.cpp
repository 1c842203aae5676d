// What is found out for parcels, on a simulated sender, wire and receiver.
#include "parcel/coalescing/tuned_coalescing.hpp"

#include "base/clock.hpp"
#include "base/rng.hpp"
#include "decide/simulated_network.hpp"
#include "loop/turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace treadle::detail {
namespace {

using decide::network;
using decide::simulated_sender;

/// The account of all decisions goes by one clock, also in the tests of ports, which have the real one.
std::int64_t latest_of_all = 0;
std::int64_t later_than_all() { return latest_of_all = std::max(latest_of_all, steady_now_ns()) + 1'000'000'000; }

/// A sender, and what is found out for it.
class tuned_sender {
 public:
  tuned_sender(const network& of, const coalescing& asked)
      : sender(of),
        m_how(decide::coalescing_choices(asked).first_settings()),
        m_first_look(asked.how == coalescing_kind::adaptive ? 1024 : 0) { // as the port has it
    loop::the_turns.clear();
    tuned.emplace("parcels", asked, 1);
  }
  /// Sends this many; what a parcel has taken.
  double send(std::uint64_t parcels, double gap_ns) {
    const double before = sender.now_ns;
    for (std::uint64_t i = 0; i < parcels; ++i) {
      sender.send(m_how, gap_ns);
      if (sender.parcels >= std::max(m_first_look, tuned->parcels_at_next_look())) look();
    }
    return (sender.now_ns - before) / static_cast<double>(parcels);
  }
  void looks_now() { look(); } ///< as the port does after an event
  decision_report report() {
    std::vector<decision_report> all = explain();
    std::erase_if(all, [](const auto& one) { return one.kind != "coalescing"; });
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  }
  simulated_sender sender;
  std::optional<tuned_coalescing> tuned;

 private:
  void look() {
    const sender_totals now{sender.parcels,    sender.messages, sender.network_is.overhead_ns,
                            sender.sending_ns, sender.now_ns,   sender.bytes()};
    const std::int64_t now_ns = m_begins + static_cast<std::int64_t>(sender.now_ns);
    latest_of_all = std::max(latest_of_all, now_ns);
    if (const auto changed = tuned->look(now, now_ns, 1)) m_how = *changed;
  }

  coalescing m_how;
  const std::uint64_t m_first_look; ///< in parcels
  const std::int64_t m_begins = later_than_all();
};

/// Of all that could be chosen.
double best_ns(const network& of, double gap_ns, const coalescing& asked) {
  constexpr std::uint64_t k_parcels = 20'000;
  const decide::coalescing_choices all(asked);
  double best = std::numeric_limits<double>::infinity();
  for (tune::arm at = 0; at < all.over().size(); ++at) {
    simulated_sender sender(of);
    const coalescing how = all.settings(at);
    for (std::uint64_t i = 0; i < k_parcels; ++i) sender.send(how, gap_ns);
    best = std::min(best, (sender.now_ns - simulated_sender::k_start_ns) / static_cast<double>(k_parcels));
  }
  return best;
}

struct load {
  network of;
  double gap_ns;
};
const load k_loads[] = {{{.overhead_ns = 300, .latency_ns = 200}, 20},
                        {{.overhead_ns = 1000, .latency_ns = 500}, 50},
                        {{.overhead_ns = 3000, .latency_ns = 1000}, 100},
                        {{.overhead_ns = 5000, .latency_ns = 20'000}, 200},
                        {{.overhead_ns = 20'000, .latency_ns = 100}, 20}};

TEST(tuned_coalescing, comes_close_to_the_best_of_all_choices) {
  for (const load& one : k_loads) {
    tuned_sender sender(one.of, {});
    sender.send(20'000'000, one.gap_ns);
    const double reached = sender.send(1'000'000, one.gap_ns), best = best_ns(one.of, one.gap_ns, {});
    EXPECT_LT(reached, best * 1.05) << one.of.overhead_ns << ' ' << one.of.latency_ns << ": " << sender.report().chosen
                                    << " after " << sender.report().windows;
  }
}

/// Of what we choose among, and of the paper's numbers and intervals, whichever is better.
TEST(tuned_coalescing, is_close_to_the_best_after_few_windows) {
  constexpr double k_window_ns = 2e6, k_windows = 5;
  const load sparse{{.overhead_ns = 1000, .latency_ns = 5000}, 500};
  std::vector<load> loads(std::begin(k_loads), std::end(k_loads));
  loads.push_back(sparse);
  for (const load& one : loads) {
    tuned_sender sender(one.of, {});
    while (sender.sender.now_ns < simulated_sender::k_start_ns + k_windows * k_window_ns) sender.send(64, one.gap_ns);
    double reached = std::numeric_limits<double>::infinity(); // of what is known; a try of something else may go on
    for (int span = 0; span < 5; ++span) reached = std::min(reached, sender.send(5000, one.gap_ns));
    const double best = std::min(best_ns(one.of, one.gap_ns, {}),
                                 best_ns(one.of, one.gap_ns, {.how = coalescing_kind::paper_adaptive}));
    EXPECT_LT(reached, best * 1.05) << one.of.overhead_ns << ' ' << one.of.latency_ns << ": " << sender.report().chosen;
  }
}

/// A model that is wrong: messages are far cheaper when they follow each other closely, so that waiting costs.
TEST(tuned_coalescing, goes_back_where_the_beginning_was_worse_than_expected) {
  tuned_coalescing tuned("parcels", {}, 1);
  coalescing how = decide::coalescing_choices({}).first_settings();
  sender_totals now;
  std::int64_t now_ns = later_than_all();
  const auto send = [&] {
    now.parcels += 2000;
    now.messages += how.hold_ns > 0 ? 10 : 1000;
    now.bytes += 2000 * 16;
    now.message_ns = 100;
    now_ns += 2000 * (how.hold_ns > 0 ? 200 : 100);
    if (const auto changed = tuned.look(now, now_ns, 1)) how = *changed;
  };
  int held = 0;
  for (int i = 0; i < 200; ++i) send(), held += how.hold_ns > 0;
  EXPECT_GT(held, 0);
  EXPECT_LT(held, 50);
  held = 0;
  for (int i = 0; i < 1000; ++i) send(), held += how.hold_ns > 0;
  EXPECT_LT(held, 100);
}

/// Bursts with other work in between, which is most of the time. Of the last of them, in which single choices are still
/// tried.
TEST(tuned_coalescing, finds_what_is_best_in_bursts) {
  constexpr std::uint64_t k_parcels = 6'000'000, k_last = 5'000'000;
  for (const load& one : {k_loads[1], k_loads[2]}) {
    const double best = best_ns(one.of, one.gap_ns, {});
    for (const auto& [least, most] : {std::pair(10U, 1000U), {500U, 1500U}, {1500U, 3000U}, {10'000U, 20'000U}})
      for (const double pause_ns : {2e6, 2e7}) {
        xorshift random(most);
        tuned_sender sender(one.of, {});
        double bursts = 0, parcel_ns = 0;
        while (sender.sender.parcels < k_parcels) {
          const double took_ns = sender.send(least + random.below(most - least), one.gap_ns);
          if (sender.sender.parcels > k_last) ++bursts, parcel_ns += took_ns;
          sender.sender.now_ns += pause_ns;
        }
        EXPECT_GT(sender.report().windows, 0U) << sender.report().why;
        EXPECT_LT(parcel_ns / bursts, best * (most > 1000 ? 1.1 : 1.15))
            << one.of.overhead_ns << ' ' << most << ' ' << pause_ns << ": " << sender.report().chosen << ' '
            << sender.report().why;
      }
  }
}

/// What is sent to it when it is looked at, in a time of its own.
class looked_at {
 public:
  /// Sends this many parcels in this many messages, each of which takes `ns`.
  void sends(std::uint64_t parcels, std::uint64_t messages, double ns, double waited_ns = 0) {
    m_now.parcels += parcels;
    m_now.messages += messages;
    m_now.bytes += parcels * 16;
    m_now.waited_ns += waited_ns;
    m_ns += ns;
    if (how.hold_ns > 0) held_ns += ns;
    if (const auto changed = tuned.look(m_now, m_begins + static_cast<std::int64_t>(m_ns), 1)) how = *changed;
  }
  std::uint64_t to_next_look() const {
    return std::max(tuned.parcels_at_next_look(), m_now.parcels + 1) - m_now.parcels;
  }
  double ns() const { return m_ns; }

  double held_ns = 0; ///< with parcels held back
  coalescing how = decide::coalescing_choices({}).first_settings();
  tuned_coalescing tuned{"parcels", {}, 1};

 private:
  sender_totals m_now{.message_ns = 100};
  double m_ns = 0;
  const std::int64_t m_begins = later_than_all();
};

/// A receiver that cannot keep up where much comes together: waiting for room is a cost, and no pause.
TEST(tuned_coalescing, leaves_what_makes_the_sender_wait) {
  constexpr std::uint64_t k_until_full = 1000; // parcels
  looked_at sender;
  for (std::uint64_t sent = 0; sender.ns() < 1e9;) {
    const std::uint64_t parcels = sender.to_next_look();
    const bool holds = sender.how.hold_ns > 0;
    const double waits_ns = holds && sent / k_until_full != (sent + parcels) / k_until_full ? 50'000 : 0;
    sender.sends(parcels, holds ? 1 : parcels / 4, static_cast<double>(parcels) * (holds ? 8 : 12) + waits_ns,
                 waits_ns);
    sent += parcels;
  }
  EXPECT_GT(sender.held_ns, 0);
  EXPECT_LT(sender.held_ns, 100e6);
}

/// With parcels held back nothing can be measured, because the program sends few just then: such tries are paid for as
/// any, though only with a part of what they take. What there is to pay with in the beginning was left by other tests.
TEST(tuned_coalescing, gives_up_where_nothing_can_be_measured) {
  looked_at sender;
  while (sender.ns() < 40e9) {
    const std::uint64_t parcels = sender.to_next_look();
    sender.sends(parcels, 1, static_cast<double>(parcels) * (sender.how.hold_ns > 0 ? 50'000 : 1000));
  }
  EXPECT_GT(sender.held_ns, 0);
  EXPECT_LT(sender.held_ns, 0.15 * sender.ns());
}

/// Each parcel waits for its answer, so that every hold is paid in full: it is not tried for long.
TEST(tuned_coalescing, leaves_a_long_hold_soon_where_every_parcel_waits) {
  looked_at sender;
  while (sender.ns() < 1e9) {
    const std::uint64_t parcels = sender.to_next_look();
    sender.sends(parcels, parcels, static_cast<double>(parcels) * (1000.0 + static_cast<double>(sender.how.hold_ns)));
  }
  EXPECT_GT(sender.held_ns, 0);
  EXPECT_LT(sender.held_ns, 50e6);
}

TEST(tuned_coalescing, says_that_it_looks_for_where_to_begin) {
  tuned_sender sender(k_loads[2].of, {});
  sender.send(5000, 100);
  EXPECT_EQ(sender.report().why, "is measured, to find where to begin");
  EXPECT_TRUE(sender.report().trying);
  sender.send(100'000, 100);
  EXPECT_NE(sender.report().why, "is measured, to find where to begin");
  sender.send(1'000'000, 100);
  EXPECT_EQ(sender.report().why.find("earlier run"), std::string::npos) << sender.report().why;
}

TEST(tuned_coalescing, begins_where_others_have_come_to) {
  tuned_sender first(k_loads[2].of, {});
  first.send(1000, 100);
  EXPECT_FALSE(first.tuned->found());
  first.send(300'000, 100);
  ASSERT_TRUE(first.tuned->found());
  tuned_coalescing next("parcels", {}, 1, first.tuned->found());
  EXPECT_FALSE(next.look({}, later_than_all(), 1)); // that is in force already
  EXPECT_EQ(next.found(), first.tuned->found());
  std::vector<decision_report> all = explain();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const decision_report& one) {
    return one.why == "was found for all localities together";
  }));
}

TEST(tuned_coalescing, holds_nothing_back_where_messages_are_not_felt) {
  const network fast{.overhead_ns = 100, .latency_ns = 200};
  tuned_sender sender(fast, {});
  EXPECT_EQ(sender.send(200'000, 10'000), sender.send(1000, 10'000));
  EXPECT_EQ(sender.sender.messages, sender.sender.parcels); // each was alone
  EXPECT_EQ(sender.report().windows, 0U);
  EXPECT_LE(sender.sender.latency_ns / static_cast<double>(sender.sender.parcels), 450); // one message each
}

TEST(tuned_coalescing, begins_again_when_the_network_changes) {
  tuned_sender sender(k_loads[0].of, {});
  sender.send(20'000'000, 50);
  const network slow{.overhead_ns = 8000, .latency_ns = 1000};
  sender.sender.network_is = slow;
  sender.send(20'000'000, 50);
  EXPECT_GE(sender.report().epoch, 1U);
  EXPECT_LT(sender.send(1'000'000, 50), best_ns(slow, 50, {}) * 1.05) << sender.report().chosen;
}

TEST(tuned_coalescing, what_is_given_stays) {
  tuned_sender sender(k_loads[2].of, {.hold_ns = 20'000});
  sender.send(5'000'000, 100);
  EXPECT_EQ(sender.report().chosen.substr(0, 7), "20 us, ");
}

/// Both searches of the authors, from the start that HPX has and from random ones.
TEST(tuned_coalescing, the_papers_search_converges) {
  for (const search_strategy how : {search_strategy::nelder_mead, search_strategy::parallel_rank_order}) {
    int good = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const load& one = k_loads[seed % std::size(k_loads)];
      const coalescing asked{
          .how = coalescing_kind::paper_adaptive, .search = how, .starts_at_random = seed > 3, .seed = seed};
      tuned_sender sender(one.of, asked);
      sender.send(5000 * 300, one.gap_ns);
      const decision_report found = sender.report();
      EXPECT_TRUE(found.converged) << found.windows;
      EXPECT_LE(found.windows, 301U);
      good += sender.send(100'000, one.gap_ns) < 1.1 * best_ns(one.of, one.gap_ns, asked);
    }
    EXPECT_GE(good, 5) << static_cast<int>(how); // of eight: a simplex may end beside the best
  }
}

TEST(tuned_coalescing, the_papers_search_goes_by_its_trigger) {
  const load& one = k_loads[1];
  const auto windows_after = [&](coalescing_trigger trigger, std::int64_t every, std::uint64_t parcels) {
    tuned_sender sender(one.of, {.how = coalescing_kind::paper_adaptive, .trigger = trigger, .every = every});
    sender.send(1, one.gap_ns);
    if (trigger == coalescing_trigger::event) {
      EXPECT_EQ(sender.report().windows, 0U);
      sender.send(parcels / 2, one.gap_ns);
      EXPECT_EQ(sender.report().windows, 0U);
      sender.tuned->event();
      sender.looks_now();
    }
    sender.send(parcels, one.gap_ns);
    return sender.report().windows;
  };
  EXPECT_EQ(windows_after(coalescing_trigger::parcels, 1000, 10'000), 10U);
  EXPECT_GE(windows_after(coalescing_trigger::messages, 10, 10'000), 5U);
  EXPECT_GE(windows_after(coalescing_trigger::period, 50'000, 20'000), 5U);
  EXPECT_EQ(windows_after(coalescing_trigger::event, 1, 1000), 1U);
}

} // namespace
} // namespace treadle::detail
