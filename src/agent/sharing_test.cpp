#include "agent/sharing.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace treadle::agent {
namespace {

program_view program(const std::string& number, unsigned workers = 8) {
  program_view p;
  p.program = number;
  p.name = "program " + number;
  p.workers = workers;
  return p;
}
machine_view machine(unsigned cores, std::optional<double> sample_s = std::nullopt, std::uint64_t turn = 0) {
  return {cores, turn, sample_s};
}
std::vector<unsigned> workers_of(const std::vector<share>& shares) {
  std::vector<unsigned> n;
  for (const share& one : shares) n.push_back(one.workers);
  return n;
}
using numbers = std::vector<unsigned>;

TEST(agent_sharing, by_weight) {
  sharing s;
  std::vector<program_view> two{program("a"), program("b")};
  EXPECT_EQ(workers_of(s.decide({}, machine(8), two)), numbers({4, 4}));
  two[1].weight = 3;
  EXPECT_EQ(workers_of(s.decide({}, machine(8), two)), numbers({2, 6}));
  two[1].most = 3;
  const std::vector<share> got = s.decide({}, machine(8), two);
  EXPECT_EQ(workers_of(got), numbers({5, 3}));
  EXPECT_EQ(got[0].reason, "weighted: 5 of 8 cores");
}

TEST(agent_sharing, who_is_idle_lends_all_and_keeps_one_that_is_not_counted) {
  sharing s;
  std::vector<program_view> two{program("a"), program("b")};
  two[0].is_idle = true;
  EXPECT_EQ(workers_of(s.decide({}, machine(8), two)), numbers({1, 8}));
  settings paper;
  paper.how = strategy::even; // which knows nothing of that
  EXPECT_EQ(workers_of(s.decide(paper, machine(8), two)), numbers({4, 4}));
  two[0].is_idle = false;
  two[0].is_silent = true;
  EXPECT_EQ(workers_of(s.decide(paper, machine(8), two)), numbers({1, 8}));
  two[0].is_paused = true;
  EXPECT_EQ(workers_of(s.decide({}, machine(8), two)), numbers({0, 8}));
}

TEST(agent_sharing, more_programs_than_cores_take_turns) {
  sharing s;
  const std::vector<program_view> five{program("a"), program("b"), program("c"), program("d"), program("e")};
  std::vector<unsigned> had(5);
  for (std::uint64_t turn = 0; turn < 5; ++turn) {
    const std::vector<unsigned> now = workers_of(s.decide({}, machine(2, {}, turn), five));
    for (std::size_t i = 0; i < 5; ++i) had[i] += now[i];
  }
  for (const unsigned one : had) EXPECT_EQ(one, 2u);
}

TEST(agent_sharing, the_papers_strategies) {
  sharing s;
  std::vector<program_view> three{program("a", 24), program("b", 24), program("c", 24)};
  three[1].is_preferred = true;
  settings how;
  how.granularity = 2;
  how.how = strategy::even;
  EXPECT_EQ(workers_of(s.decide(how, machine(24), three)), numbers({8, 8, 8}));
  how.how = strategy::half_to_priority;
  EXPECT_EQ(workers_of(s.decide(how, machine(24), three)), numbers({6, 12, 6}));
  how.how = strategy::stack;
  EXPECT_EQ(workers_of(s.decide(how, machine(24), three)), numbers({0, 0, 24}));
  how.how = strategy::fixed;
  how.fixed = {{"program a", 5}, {"program c", 30}};
  EXPECT_EQ(workers_of(s.decide(how, machine(24), three)), numbers({5, 0, 19}));
  how.how = strategy::even;
  how.more = boost::constant;
  how.boost_threads = 3;
  const std::vector<share> boosted = s.decide(how, machine(24), three);
  EXPECT_EQ(workers_of(boosted), numbers({11, 11, 11}));
  EXPECT_NE(boosted[0].reason.find("3 threads more"), std::string::npos);
}

TEST(agent_sharing, proportional_boost_keeps_the_ratio) {
  sharing s;
  std::vector<program_view> two{program("a", 24), program("b", 24)};
  settings how;
  how.more = boost::proportional;
  EXPECT_EQ(workers_of(s.decide(how, machine(24), two)), numbers({24, 24}));
  two[1].weight = 3; // 6 and 18 cores
  const std::vector<share> got = s.decide(how, machine(24), two);
  EXPECT_EQ(workers_of(got), numbers({8, 24}));
  EXPECT_EQ(got[1].reason, "weighted: 18 of 24 cores, weight 3; 6 threads more, to use them");
  two[0].is_paused = true;
  EXPECT_EQ(workers_of(s.decide(how, machine(24), two)), numbers({0, 24}));
}

TEST(agent_sharing, adaptive_boost_gives_what_uses_the_cores) {
  sharing s;
  std::vector<program_view> one{program("a", 24)};
  settings how;
  how.more = boost::adaptive;
  unsigned threads = workers_of(s.decide(how, machine(16), one))[0];
  for (int i = 0; i < 30; ++i) { // three quarters of its threads are busy
    one[0].granted = threads;
    one[0].used_s = 0.75 * threads * 0.5;
    threads = workers_of(s.decide(how, machine(16, 0.5), one))[0];
  }
  EXPECT_EQ(threads, 22u); // 0.75 * 22 = 16.5
}

class pair_of_programs : public ::testing::TestWithParam<strategy> {};

/// A pair whose items take this many core-seconds each, in simulated time: how far the queue is off in the end.
TEST_P(pair_of_programs, keeps_the_queue_where_it_should_be) {
  sharing s;
  settings how;
  how.how = GetParam();
  std::vector<program_view> both{program("p", 24), program("c", 24), program("other", 24)};
  both[0].group = both[1].group = "g";
  both[0].role = "producer";
  both[1].role = "consumer";
  both[1].target = 8;
  double produced = 0, consumed = 0;
  numbers now = workers_of(s.decide(how, machine(24), both));
  for (int step = 0; step < 400; ++step) {
    constexpr double k_step_s = 0.5, k_make_s = 8, k_use_s = 5;
    both[0].used_s = now[0] * k_step_s;
    both[1].used_s = now[1] * k_step_s;
    produced += both[0].used_s / k_make_s;
    const double can = std::min(both[1].used_s / k_use_s, produced - consumed);
    both[1].used_s = can * k_use_s;
    consumed += can;
    both[0].progress = produced;
    both[1].progress = consumed;
    for (std::size_t i = 0; i < 3; ++i) both[i].granted = now[i];
    now = workers_of(s.decide(how, machine(24, k_step_s), both));
    EXPECT_EQ(now[0] + now[1], 16u) << "two thirds, by weight";
    if (step > 200) {
      EXPECT_NEAR(produced - consumed, 8, 3) << step;
    }
  }
  both.erase(both.begin()); // the producer has ended
  EXPECT_EQ(workers_of(s.decide(how, machine(24), both)), numbers({12, 12}));
}
INSTANTIATE_TEST_SUITE_P(Laws, pair_of_programs,
                         ::testing::Values(strategy::producer_consumer, strategy::producer_consumer_pi));

TEST(agent_sharing, random_programs_get_what_there_is_and_decisions_can_be_made_again) {
  detail::xorshift random(11);
  const auto some = [&](unsigned below) { return random.below(below); };
  for (int run = 0; run < 150; ++run) {
    sharing live;
    std::vector<program_view> all;
    for (int step = 0; step < 40; ++step) {
      if (all.size() < 6 && some(3) == 0) all.push_back(program("n" + std::to_string(run * 100 + step), 1 + some(32)));
      if (!all.empty() && some(8) == 0) all.erase(all.begin() + some(static_cast<unsigned>(all.size())));
      for (program_view& p : all) {
        p.least = some(4) == 0 ? some(5) : p.least;
        p.most = some(4) == 0 ? some(40) : p.most;
        p.weight = some(4) == 0 ? 0.1 * (1 + some(40)) : p.weight;
        p.group = some(4) == 0 ? "g" + std::to_string(some(2)) : p.group;
        p.role = some(4) == 0 ? (some(2) != 0 ? "producer" : "consumer") : p.role;
        p.is_idle = some(6) == 0;
        p.is_paused = some(10) == 0;
        p.is_silent = some(10) == 0;
        p.is_preferred = some(3) == 0;
        p.granted = some(33);
        p.used_s = 0.1 * some(100);
        const double lies[] = {std::numeric_limits<double>::quiet_NaN(), -1e300, 1e300, 0, 1, 0.1 * some(1000)};
        p.progress = lies[some(6)];
        if (some(2) == 0) p.total = lies[some(6)];
      }
      settings how;
      how.how = static_cast<strategy>(some(8));
      how.more = static_cast<boost>(some(5));
      how.granularity = 1 + some(3);
      machine_view on = machine(1 + some(32), some(2) ? std::optional(0.5) : std::nullopt, some(1000));
      // As from a log; NaN cannot be written down, so it must not matter.
      sharing again = sharing::from_state(nlohmann::json::parse(live.state().dump()));
      std::vector<program_view> same = all;
      for (program_view& p : same)
        if (p.progress && !(*p.progress == *p.progress)) p.progress = std::nullopt;
      const std::vector<share> got = live.decide(how, on, all), got_again = again.decide(how, on, same);
      ASSERT_EQ(got.size(), all.size());
      unsigned sum = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(got[i].workers, got_again[i].workers) << name_of(how.how);
        EXPECT_EQ(got[i].reason, got_again[i].reason);
        EXPECT_LE(got[i].workers, std::max(all[i].workers, 1u));
        EXPECT_TRUE(!all[i].is_paused || got[i].workers == 0);
        const bool counts = !all[i].is_paused && !all[i].is_silent && !all[i].is_idle;
        if (counts) sum += got[i].workers;
      }
      EXPECT_TRUE(how.more != boost::none || sum <= on.cores);
      EXPECT_EQ(live.state(), again.state());
    }
  }
}

TEST(agent_settings, are_checked_and_named) {
  settings s;
  const auto refuses = [&](const std::string& text, const std::string& what) {
    const settings before = s;
    try {
      change(s, nlohmann::json::parse(text));
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
    EXPECT_EQ(to_json(s), to_json(before));
  };
  refuses(R"({"strategy": "odd"})", "half-to-priority");
  refuses(R"({"period_s": 0})", "period_s");
  refuses(R"({"period_s": 1, "lease_s": 1})", "lease_s");
  refuses(R"({"cores": 2.5})", "cores");
  refuses(R"({"cores": -1})", "cores");
  refuses(R"({"strategy": "even", "granularity": 0})", "granularity");
  refuses(R"({"static": {"a": "b"}})", "static: a");
  refuses(R"({"hue": 1})", "hue");
  refuses(R"([])", "object");
  change(s, nlohmann::json::parse(R"({"strategy": "static", "static": {"a": 3}, "period_s": 0.1, "lease_s": 0.4})"));
  settings back;
  change(back, to_json(s));
  EXPECT_EQ(to_json(back), to_json(s));
}

} // namespace
} // namespace treadle::agent
