#include "task/engine/comes_true.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using namespace std::chrono_literals;

/// A task that is done when this many of them run at the same time; false when they have not for a while.
auto meets(std::atomic<int>& here, int all, std::chrono::milliseconds patience = 60s) {
  return [&here, all, patience] {
    ++here;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (here < all && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return here >= all;
  };
}

bool meet(const char* pool, int all, std::chrono::milliseconds patience = 60s) {
  std::atomic<int> here{0};
  std::vector<future<bool>> tasks;
  for (int i = 0; i < all; ++i) tasks.push_back(async(pool_executor(pool), meets(here, all, patience)));
  bool met = true;
  for (auto& one : tasks) met &= one.get();
  return met;
}

TEST(loans, idle_workers_of_a_pool_help_the_others) {
  runtime rt({.workers = 1, .pools = "io:3"});
  EXPECT_TRUE(meet("default", 4));
  EXPECT_TRUE(meet("io", 4));
  EXPECT_TRUE(meet("default", 4));
  EXPECT_EQ(rt.concurrency(), 4u);
}

TEST(loans, exclusive_pools_neither_lend_nor_borrow) {
  runtime rt({.workers = 1, .pools = "own:1:exclusive,io:1"});
  EXPECT_TRUE(meet("default", 2));
  EXPECT_FALSE(meet("default", 3, 20ms));
  EXPECT_FALSE(meet("own", 2, 20ms));
  EXPECT_EQ(async(pool_executor("own"), [] { return async([] { return 1; }).get(); }).get(), 1);
}

TEST(loans, what_was_lent_comes_back_while_the_borrower_is_busy) {
  runtime rt({.workers = 1, .pools = "io:1"});
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> here{0};
    std::atomic<bool> stop{false};
    std::vector<future<void>> busy;
    for (int i = 0; i < 2; ++i)
      busy.push_back(async([&] {
        ++here;
        while (!stop) {
        }
      }));
    while (here < 2) std::this_thread::yield(); // io's worker is lent
    async(pool_executor("io"), [&] { stop = true; }).get();
    wait_all(busy);
  }
}

TEST(loans, timers_of_a_pool_are_served) {
  runtime rt({.workers = 1, .pools = "io:1"});
  std::atomic<bool> stop{false};
  auto sleeps = async(pool_executor("io"), [&] {
    for (int i = 0; i < 20; ++i) this_task::sleep_for(1ms);
    stop = true;
  });
  std::vector<future<void>> busy;
  for (int i = 0; i < 3; ++i)
    busy.push_back(async([&] {
      while (!stop) this_task::yield();
    }));
  sleeps.get();
  wait_all(busy);
}

TEST(loans, latent_work_is_shared_with_the_workers_of_other_pools) {
  runtime rt({.workers = 1, .pools = "io:1"});
  std::atomic<int> here{0};
  std::atomic<bool> met{false};
  for_loop(par.with(static_chunk_size{1}), 0, 2, [&](int) { met = meets(here, 2)(); });
  EXPECT_TRUE(met);
}

TEST(loans, latent_work_of_a_body_that_never_looks_reaches_a_pool_that_becomes_idle_later) {
  for (int round = 0; round < 20; ++round) {
    runtime rt({.workers = 1, .pools = "io:1"});
    std::atomic<int> begun{0};
    std::atomic<bool> stop{false};
    auto busy = async(pool_executor("io"), [&] {
      ++begun;
      while (!stop) std::this_thread::yield();
    });
    while (begun == 0) std::this_thread::yield();
    auto forks = async([&] {
      parallel_invoke(
          [&] {
            ++begun; // nobody is hungry yet
            while (begun < 3) std::this_thread::yield();
          },
          [&] { ++begun; });
    });
    while (begun < 2) std::this_thread::yield();
    stop = true;
    EXPECT_EQ(forks.wait_for(60s), future_status::ready);
  }
}

TEST(loans, tasks_that_need_the_workers_of_several_pools_get_them) {
  for (int round = 0; round < 100; ++round) {
    runtime rt({.workers = 1, .pools = "a:1,b:1"});
    EXPECT_TRUE(meet("default", 3));
    EXPECT_TRUE(meet("a", 3));
    EXPECT_TRUE(meet("default", 3));
  }
}

/// As above, by workers that have been in the pool before, and off duty since.
TEST(loans, workers_that_come_on_duty_again_tell_of_the_rest) {
  runtime rt({.workers = 1, .pools = "a:1,b:1"});
  for (int round = 0; round < 300; ++round) {
    ASSERT_TRUE(meet(round % 2 == 0 ? "default" : "a", 3)) << round;
    if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(round % 5)); // some park, some nap
  }
}

TEST(loans, a_pool_is_suspended_and_goes_on) {
  runtime rt({.workers = 1, .pools = "io:2"});
  rt.set_concurrency("io", 0);
  EXPECT_EQ(rt.concurrency(), 1u);
  ASSERT_TRUE(testing::comes_true([] { return testing::on_duty("io") == 0; }));
  auto waits = async(pool_executor("io"), [] { return 7; });
  EXPECT_EQ(waits.wait_for(20ms), future_status::timeout) << "nobody else runs it";
  EXPECT_THROW(rt.set_concurrency("io", 0), std::system_error) << "it has a task";
  rt.set_concurrency("io", 2);
  EXPECT_EQ(waits.get(), 7);
  rt.wait_idle();
  rt.set_concurrency("io", 1);
  EXPECT_EQ(rt.concurrency(), 2u);
  ASSERT_TRUE(testing::comes_true([] { return testing::on_duty("io") == 1; }));
  EXPECT_FALSE(meet("io", 2, 20ms)) << "nor more than it may have";
  EXPECT_THROW(rt.set_concurrency("io", 3), std::invalid_argument);
  EXPECT_THROW(rt.set_concurrency("oi", 1), std::invalid_argument);
}

TEST(loans, random_programs_over_pools_lose_nothing) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::atomic<int> done{0};
    std::atomic<std::uint32_t> random{seed};
    const auto next = [&random](std::uint32_t below) {
      return (random.fetch_add(0x9E3779B9u) * 0x85EBCA6Bu >> 8) % below;
    };
    int created = 0;
    {
      runtime rt({.workers = 1 + next(3), .pools = "a:1,b:2,c:1:exclusive"});
      const pool_executor pools[] = {pool_executor("default"), pool_executor("a"), pool_executor("b"),
                                     pool_executor("c")};
      std::vector<future<void>> all;
      for (int i = 0; i < 300; ++i, ++created) {
        all.push_back(async(pools[next(4)], [&] {
          switch (next(5)) {
          case 0:
            this_task::yield();
            break;
          case 1:
            this_task::sleep_for(100us);
            break;
          case 2:
            async(pools[next(4)], [] {}).get();
            break;
          case 3: {
            const blocking_region region;
            std::this_thread::sleep_for(100us);
            break;
          }
          default:
            for_loop(par, 0, 100, [](int) {});
          }
          ++done;
        }));
        if (next(10) == 0) rt.set_concurrency(2 + next(rt.max_concurrency() - 1)); // one of them is exclusive
      }
      if (next(2) == 0) wait_all(all);
    }
    EXPECT_EQ(done, created) << seed;
  }
}

} // namespace
} // namespace treadle
