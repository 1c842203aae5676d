#include <treadle/tune/session.hpp>

#include "control/session_fixture.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <thread>

namespace {

using namespace std::chrono_literals;
using treadle::k_simulated;
using treadle::knob;
using treadle::session;
using treadle::steps;

class drive_test : public treadle::session_fixture {};

TEST_F(drive_test, goes_by_the_clock) {
  knob<int> k("k", steps(0, 5), 0);
  session tuning("test", k_simulated, k);
  std::atomic<int> asked{0};
  const treadle::rule loop = treadle::drive(tuning, 1ms, treadle::minimize([&] {
                                              ++asked;
                                              return asked % 3 == 0 ? std::nan("") : 1 + 0.5 * std::abs(k - 2);
                                            }));
  for (int i = 0; i < 60'000 && tuning.look().windows < 60; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_GE(tuning.look().windows, 60u);
  EXPECT_GT(tuning.look().voids, 0u);
  EXPECT_EQ(tuning.look().best, "2");
}

TEST_F(drive_test, leaves_the_best_behind_when_it_ends) {
  for (const bool fails : {false, true}) {
    knob<int> k("k", steps(0, 9), 0);
    session tuning("test", k_simulated, k);
    std::atomic<int> trying{0};
    {
      const auto driver = drive(tuning, 100us, treadle::minimize([&] {
                                  trying += trying > 0 || (tuning.look().windows > 100 && k != 4);
                                  if (trying > 0 && fails) throw std::runtime_error("the objective");
                                  return 1.0 + std::abs(k - 4);
                                }));
      while (fails ? !driver.failed() : trying == 0) std::this_thread::sleep_for(1ms);
      if (fails) {
        EXPECT_EQ(k, 4);
      }
    }
    EXPECT_EQ(k, 4);
  }
}

TEST_F(drive_test, goes_on_with_a_session_that_is_moved) {
  knob<int> k("k", steps(0, 5), 0);
  std::optional<session> before(std::in_place, "test", k_simulated, k);
  const treadle::rule loop = treadle::drive(*before, 1ms, treadle::minimize([&] { return 1 + 0.5 * std::abs(k - 2); }));
  const session after = std::move(*before);
  before.reset();
  const auto windows = after.look().windows;
  for (int i = 0; i < 60'000 && after.look().windows < windows + 3; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_GE(after.look().windows, windows + 3);
  EXPECT_FALSE(loop.failed());
}

TEST_F(drive_test, changes_knobs_in_tasks_which_may_wait) {
  treadle::runtime rt({.workers = 2});
  knob<int> k("k", steps(0, 5), 0);
  std::atomic<int> changes{0}, outside{0};
  treadle::latch opened(1);
  k.on_change([&](int) {
    outside += treadle::this_task::worker_index() < 0;
    if (++changes == 1) opened.wait();
  });
  session tuning("test", k_simulated, k);
  treadle::rule driven = treadle::drive(tuning, 1ms, treadle::minimize([&] { return 1 + 0.5 * std::abs(k - 2); }));
  std::atomic<int> ticks{0};
  const treadle::rule other = treadle::every(1ms, [&] { ++ticks; });
  while (changes == 0) std::this_thread::yield();
  const int before = ticks;
  for (int i = 0; i < 60'000 && ticks < before + 5; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_GE(ticks, before + 5); // the clock goes on
  EXPECT_EQ(changes, 1);
  opened.count_down();
  for (int i = 0; i < 60'000 && tuning.look().windows < 60; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(tuning.look().best, "2");
  driven.end();
  EXPECT_EQ(k, 2);
  EXPECT_EQ(outside, 0);
}

TEST_F(drive_test, may_be_ended_from_what_it_changes) {
  treadle::runtime rt({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    knob<int> k("k", steps(0, 5), 0);
    session tuning("test", k_simulated, k);
    treadle::rule driven;
    std::atomic<bool> is_there{false}, ended{false};
    k.on_change([&](int) {
      while (!is_there) std::this_thread::yield();
      if (!ended.exchange(true)) driven.end();
    });
    driven = treadle::drive(tuning, 1ms, treadle::minimize([&] { return 1 + 0.5 * std::abs(k - 2); }));
    is_there = true;
    while (!ended) std::this_thread::yield();
    rt.wait_idle(); // the last step leaves the best
  }
}

TEST_F(drive_test, ends_though_no_worker_is_active) {
  treadle::runtime rt({.workers = 2});
  knob<int> k("k", steps(0, 5), 0);
  session tuning("test", k_simulated, k);
  rt.set_concurrency(0);
  {
    const treadle::rule driven = treadle::drive(tuning, 1ms, treadle::minimize([&] { return 1.0; }));
    while (rt.statistics().tasks_created == 0) std::this_thread::yield();
  }
  rt.set_concurrency(2);
  rt.wait_idle();
  EXPECT_EQ(tuning.look().windows, 0u);
}

TEST_F(drive_test, an_objective_that_throws_ends_the_loop_and_nothing_else) {
  knob<int> k("k", steps(0, 5), 0);
  session tuning("test", k_simulated, k);
  const treadle::rule loop =
      treadle::drive(tuning, 1ms, treadle::minimize([]() -> double { throw std::runtime_error("no such counter"); }));
  for (int i = 0; i < 60'000 && !loop.failed(); ++i) std::this_thread::sleep_for(1ms);
  EXPECT_NE(loop.message().find("no such counter"), std::string::npos);
  EXPECT_EQ(tuning.look().windows, 0u);
  for (int i = 0; i < 3; ++i) tuning.next().report(1);
  EXPECT_EQ(tuning.look().windows, 3u);
}

TEST_F(drive_test, an_objective_may_be_a_rate_of_counters) {
  std::atomic<double> work{0}, cost{0};
  const treadle::counters::definition done({"/test/work", treadle::counters::kind::monotonic, "", ""},
                                           [&] { return work.load(); });
  const treadle::counters::definition spent({"/test/cost", treadle::counters::kind::monotonic, "", ""},
                                            [&] { return cost.load(); });
  const auto rate = treadle::minimize_rate("/test/cost", "/test/work");
  rate->begin();
  EXPECT_FALSE(std::isfinite(rate->end())); // nothing was done
  rate->begin();
  work = 4;
  cost = 10;
  EXPECT_EQ(rate->end(), 2.5);
  rate->begin();
  work = 5;
  cost = 30;
  EXPECT_EQ(rate->end(), 20); // of this window
  EXPECT_THROW(treadle::minimize_rate("/no/such", "/test/work"), std::invalid_argument);
  const auto speed = treadle::maximize_rate("/test/work");
  speed->begin();
  EXPECT_FALSE(std::isfinite(speed->end()));
  speed->begin();
  work = 1000;
  EXPECT_GT(speed->end(), 0);
}

} // namespace
