#include "agent/simulation/simulation.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace treadle::agent {
namespace {

using nlohmann::json;

simulated_program tasks(unsigned count, double task_s, unsigned workers) {
  simulated_program p;
  p.tasks = count;
  p.task_s = task_s;
  p.workers = workers;
  return p;
}
scenario on(unsigned threads, std::vector<simulated_program> programs) {
  scenario s;
  s.machine.hardware_threads = s.machine.cores = threads;
  s.programs = std::move(programs);
  return s;
}
scenario pair(unsigned threads, double produce_s, double consume_s) {
  simulated_program producer = tasks(24, produce_s, threads), consumer = tasks(24, consume_s, threads);
  producer.wish.group = consumer.wish.group = "pair";
  producer.wish.role = "producer";
  consumer.wish.role = "consumer";
  producer.iterations = consumer.iterations = 100;
  producer.after_s = consumer.before_s = 0.1;
  producer.fractions = consumer.fractions = producer.tells_total = true;
  scenario s = on(threads, {producer, consumer});
  s.noise = s.iteration_noise = 0.1;
  return s;
}
double work_of(const simulated_program& p) {
  double work = 0;
  for (unsigned i = 0; i < p.iterations; ++i)
    work += p.tasks * p.task_s * p.cost[i % p.cost.size()] + p.before_s + p.after_s;
  return work;
}

TEST(agent_simulation, threads_share_hardware_equally) {
  EXPECT_DOUBLE_EQ(simulate(on(2, {tasks(3, 1, 3)})).ends_s, 1.5);
  EXPECT_DOUBLE_EQ(simulate(on(2, {tasks(3, 1, 2)})).ends_s, 2);
  // Two of four threads are those of one program: half of the machine until it has ended.
  const simulated_run two = simulate(on(2, {tasks(2, 1, 2), tasks(4, 1, 2)}));
  EXPECT_DOUBLE_EQ(two.programs[0].ends_s, 2);
  EXPECT_DOUBLE_EQ(two.ends_s, 3);
  EXPECT_DOUBLE_EQ(two.programs[0].used_s, 2);
  EXPECT_DOUBLE_EQ(two.programs[1].used_s, 4);
}

TEST(agent_simulation, second_threads_and_switching_cost) {
  EXPECT_DOUBLE_EQ(work_per_s({4, 2, 0.5, 0.25}, 2), 2);
  EXPECT_DOUBLE_EQ(work_per_s({4, 2, 0.5, 0.25}, 3), 2.5);
  EXPECT_DOUBLE_EQ(work_per_s({4, 2, 0.5, 0.25}, 4), 3);
  EXPECT_DOUBLE_EQ(work_per_s({4, 2, 0.5, 0.25}, 5), 2.25);
  scenario s = on(2, {tasks(4, 1, 2)});
  s.machine.cores = 1;
  s.machine.second_thread = 0.5;
  EXPECT_DOUBLE_EQ(simulate(s).ends_s, 4 / 1.5);
}

TEST(agent_simulation, one_thread_before_and_after_the_tasks) {
  simulated_program p = tasks(4, 1, 4);
  p.before_s = 0.5;
  p.after_s = 0.25;
  p.iterations = 3;
  p.cost = {1, 2};
  const simulated_run r = simulate(on(4, {p}));
  EXPECT_EQ(r.programs[0].iteration_ends_s, (std::vector<double>{1.75, 4.5, 6.25}));
}

TEST(agent_simulation, a_worker_rests_and_sleeps) {
  simulated_program p = tasks(4, 1, 2);
  p.rest_s = 0.5;
  EXPECT_DOUBLE_EQ(simulate(on(2, {p})).ends_s, 2.5); // not after the last task
  p.rest_s = 0;
  p.sleep_s = 0.2; // the first worker begins, the other one looks within that
  const double ends_s = simulate(on(2, {p})).ends_s;
  EXPECT_GE(ends_s, 2);
  EXPECT_LE(ends_s, 2.2);
}

TEST(agent_simulation, a_consumer_waits_for_its_items) {
  scenario s = pair(4, 0.1, 0.01);
  const simulated_run r = simulate(s);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_GT(r.programs[1].iteration_ends_s[i], r.programs[0].iteration_ends_s[i]);
  s.sequential = true;
  const simulated_run one_by_one = simulate(s);
  EXPECT_EQ(one_by_one.programs[1].begins_s, one_by_one.programs[0].ends_s);
  EXPECT_EQ(one_by_one.longest_queue, 100);
}

TEST(agent_simulation, random_programs_stay_within_bounds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    detail::xorshift random(seed);
    const auto some = [&](unsigned from, unsigned to) { return from + random.below(to - from + 1); };
    std::vector<simulated_program> programs;
    for (unsigned i = some(1, 4); i > 0; --i) {
      simulated_program p = tasks(some(1, 30), 0.01 * some(1, 20), some(1, 9));
      p.iterations = some(1, 6);
      p.before_s = 0.01 * some(0, 3);
      p.after_s = 0.01 * some(0, 3);
      p.cost = {1, 0.5 * some(0, 4)};
      p.start_s = 0.1 * some(0, 5);
      p.sleep_s = 0.01 * some(0, 2);
      programs.push_back(p);
    }
    scenario s = on(some(1, 8), std::move(programs));
    s.seed = seed;
    if (some(0, 1) == 1) {
      s.agent.emplace();
      s.agent->how = static_cast<strategy>(some(0, 7));
      if (s.agent->how == strategy::fixed) s.agent->how = strategy::weighted;
      s.agent->more = static_cast<boost>(some(0, 4));
      s.agent->period_s = 0.1;
      s.on_events = some(0, 1) == 1;
    }
    SCOPED_TRACE(seed);
    const simulated_run r = simulate(s);
    double work = 0, last_start = 0;
    for (std::size_t i = 0; i < s.programs.size(); ++i) {
      const double own = work_of(s.programs[i]);
      EXPECT_NEAR(r.programs[i].used_s, own, 1e-6);
      EXPECT_GE(r.programs[i].ends_s - r.programs[i].begins_s,
                own / std::min(s.programs[i].workers, s.machine.hardware_threads) - 1e-9);
      EXPECT_EQ(r.programs[i].iteration_ends_s.size(), s.programs[i].iterations);
      EXPECT_TRUE(std::is_sorted(r.programs[i].iteration_ends_s.begin(), r.programs[i].iteration_ends_s.end()));
      work += own;
      last_start = std::max(last_start, s.programs[i].start_s);
    }
    EXPECT_GE(r.ends_s, work / s.machine.hardware_threads - 1e-9);
    EXPECT_LE(r.ends_s, last_start + 1e3 + 10 * work); // nobody is forgotten
    EXPECT_EQ(to_json(simulate(s)), to_json(r));
  }
}

TEST(agent_simulation, the_agent_shares_as_it_is_told) {
  scenario s = on(4, {tasks(100, 0.1, 4), tasks(100, 0.1, 4)});
  s.agent.emplace();
  s.agent->how = strategy::stack;
  const simulated_run stacked = simulate(s);
  EXPECT_NEAR(stacked.programs[1].ends_s, 2.5, 0.2); // as if it were alone
  EXPECT_NEAR(stacked.ends_s, 5, 0.2);
  s.agent->how = strategy::even;
  const simulated_run even = simulate(s);
  EXPECT_NEAR(even.programs[0].ends_s, 5, 0.2);
  EXPECT_NEAR(even.programs[1].ends_s, 5, 0.2);
  EXPECT_EQ(even.most_threads, 4U);
  s.agent->how = strategy::fixed; // nobody gets anything
  EXPECT_THROW(simulate(s), std::runtime_error);
}

/// What it did not use at first it can use later.
TEST(agent_simulation, efficiency_tries_again_who_was_serial_once) {
  simulated_program p = tasks(4000, 0.1, 24);
  p.before_s = 3;
  for (const bool has_other : {false, true}) {
    std::vector<simulated_program> programs{p};
    if (has_other) programs.push_back(tasks(3, 4, 24)); // uses three cores
    scenario s = on(24, std::move(programs));
    s.agent.emplace();
    s.agent->how = strategy::weighted;
    const double with_weights = simulate(s).programs[0].ends_s;
    s.agent->how = strategy::efficiency;
    EXPECT_LE(simulate(s).programs[0].ends_s, 1.4 * with_weights) << has_other;
  }
}

TEST(agent_simulation, keeps_the_queue) {
  for (const auto& [produce_s, consume_s] : {std::pair{0.1, 0.1}, {0.05, 0.1}, {0.1, 0.05}}) {
    scenario s = pair(8, produce_s, consume_s);
    const double free_queue = simulate(s).longest_queue;
    s.agent.emplace();
    s.agent->how = strategy::producer_consumer_pi;
    s.agent->more = boost::proportional;
    const simulated_run kept = simulate(s);
    EXPECT_LE(kept.longest_queue, 12) << produce_s;
    EXPECT_LE(kept.mean_off, 0.5) << produce_s;
    EXPECT_TRUE(free_queue > 30 || produce_s >= consume_s) << free_queue;
  }
}

TEST(agent_simulation, what_is_no_scenario_is_said) {
  const auto message = [](const char* text) -> std::string {
    try {
      scenario_from_json(json::parse(text));
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message("[]"), "scenario: expected an object, got []");
  EXPECT_EQ(message("{}"), "scenario.programs: expected a list of at least one program");
  EXPECT_EQ(message(R"({"programs": [{"task": 1}]})").substr(0, 31), "programs[0]: no 'task'; there a");
  EXPECT_EQ(message(R"({"programs": [{"task_s": -1}]})"),
            "programs[0].task_s: expected a number from 0 to 1e9, got -1");
  EXPECT_EQ(message(R"({"programs": [{"workers": 1.5}]})"),
            "programs[0].workers: expected a whole number from 0 to 1e9, got 1.5");
  EXPECT_EQ(message(R"({"programs": [{"cost": []}]})"), "programs[0].cost: expected a list of numbers, got []");
  EXPECT_EQ(message(R"({"programs": [{"role": "consumer", "group": "g"}]})"),
            "group 'g': expected one producer and one consumer, got 0 and 1");
  EXPECT_EQ(message(R"({"programs": [{"role": "producer"}]})"),
            "programs[0].group: expected that of the producer and its consumer, got \"\"");
  EXPECT_NE(message(R"({"machine": {"hardware_threads": 0}, "programs": [{}]})"), "");
  EXPECT_NE(message(R"({"agent": {"strategy": "best"}, "programs": [{}]})").find("best"), std::string::npos);
  EXPECT_EQ(message(R"({"programs": [{"name": "a", "workers": 4, "task_s": 0.1}]})"), "");
}

} // namespace
} // namespace treadle::agent
