#include <treadle/treadle.hpp>

#include "task/engine/comes_true.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

namespace treadle {
namespace {

/// Runs n tasks of a pool at the same time: each ends when all have begun.
void run_together(const char* pool, int n) {
  std::atomic<int> begun{0};
  std::vector<future<void>> all;
  for (int i = 0; i < n; ++i)
    all.push_back(async(pool_executor(pool), [&] {
      ++begun;
      while (begun < n) std::this_thread::yield();
    }));
  wait_all(all);
}

class resize_test : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(pools, resize_test,
                         ::testing::Values("", ":exclusive", ":policy=local-priority-fifo:exclusive", ":policy=static",
                                           ":policy=critical-path:exclusive"));

TEST_P(resize_test, moves_workers_between_pools) {
  if (std::string(GetParam()).find("static") != std::string::npos) return; // two tasks may wait for the same worker
  runtime rt({.workers = 3, .pools = "urgent:1" + std::string(GetParam())});
  run_together("default", 3);
  rt.resize_pool("urgent", 3);
  run_together("urgent", 3);
  run_together("default", 1);
  rt.resize_pool("urgent", 2);
  run_together("urgent", 2);
  run_together("default", 2);
  EXPECT_EQ(rt.max_concurrency(), 4u);
  rt.set_concurrency("urgent", 1);
  rt.set_concurrency("urgent", 2);
  run_together("urgent", 2);
  EXPECT_THROW(rt.set_concurrency("urgent", 3), std::invalid_argument);
  rt.set_concurrency(2); // one each
  run_together("urgent", 1);
  run_together("default", 1);
  rt.set_concurrency(4);
  run_together("urgent", 2);
  run_together("default", 2);
}

TEST_P(resize_test, loses_no_task_meanwhile) {
  runtime rt({.workers = 3, .pools = "a:2" + std::string(GetParam()) + ",b:1" + GetParam()});
  std::atomic<bool> over{false};
  std::thread changes([&] {
    std::mt19937 random(7);
    while (!over) {
      rt.resize_pool(random() % 2 == 0 ? "a" : "b", 1 + static_cast<unsigned>(random() % 2));
      if (random() % 4 == 0) rt.set_concurrency(random() % 4 == 0 ? 0 : 3 + static_cast<unsigned>(random() % 4));
      std::this_thread::yield();
    }
    rt.set_concurrency(6);
  });
  std::atomic<long> done{0};
  constexpr int k_rounds = 200, k_tasks = 50;
  for (int round = 0; round < k_rounds; ++round) {
    std::vector<future<void>> all;
    for (int i = 0; i < k_tasks; ++i)
      all.push_back(async(pool_executor(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "default"), [&] { ++done; }));
    wait_all(all);
  }
  over = true;
  changes.join();
  EXPECT_EQ(done, k_rounds * k_tasks);
}

TEST(resize_pool, says_what_is_wrong) {
  runtime rt({.workers = 2, .pools = "a:1:exclusive,b:1:cpus=0"});
  const auto message = [&](const char* pool, unsigned n) -> std::string {
    try {
      rt.resize_pool(pool, n);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message("c", 1), "runtime::resize_pool: no pool 'c'; there are 'default', 'a', 'b'");
  EXPECT_NE(message("default", 1).find("has the workers that no other pool has"), std::string::npos);
  EXPECT_NE(message("a", 0).find("'a' cannot be without workers"), std::string::npos);
  EXPECT_NE(message("a", 3).find("may have 1 to 2 workers"), std::string::npos);
  EXPECT_NE(message("b", 2).find("pool 'b' has hardware threads of its own"), std::string::npos);
  EXPECT_EQ(message("a", 2), "");
}

/// Tasks of a pool that has no workers run in the default one, on all of the workers.
TEST(pool_without_workers, leaves_its_tasks_to_the_default_pool) {
  runtime rt({.workers = 2, .pools = "a:2"});
  const auto where = [] { return async(pool_executor("a"), [] { return pool_executor("default").is_here(); }).get(); };
  EXPECT_FALSE(where());
  rt.resize_pool("a", 0);
  EXPECT_TRUE(where());
  for (int i = 0; i < 100; ++i) run_together("a", 4);
  run_together("default", 4);
  rt.resize_pool("a", 3);
  EXPECT_FALSE(where());
  run_together("a", 3);
}

TEST(pool_without_workers, still_runs_what_it_had) {
  runtime rt({.workers = 1, .pools = "a:1"});
  std::atomic<bool> goes_on{false}, has_run{false};
  promise<void> resumed;
  std::atomic<bool> waits{false};
  auto blocked = async(pool_executor("a"), [&, wait = resumed.get_future()]() mutable {
    waits = true;
    wait.get(); // goes on in a, which has no workers any more
    has_run = true;
  });
  while (!waits) std::this_thread::yield();
  rt.resize_pool("a", 0);
  auto spinning = async([&] { // both workers of the default pool, until it has
    while (!has_run) this_task::yield();
  });
  auto other = async([&] {
    goes_on = true;
    while (!has_run) this_task::yield();
  });
  while (!goes_on) std::this_thread::yield();
  resumed.set_value();
  blocked.get();
  spinning.get();
  other.get();
}

TEST(pool_without_workers, may_be_suspended_and_limited) {
  runtime rt({.workers = 2, .pools = "a:2"});
  rt.resize_pool("a", 0);
  rt.set_concurrency("a", 0);
  ASSERT_TRUE(testing::comes_true([] { return testing::on_duty("a") == 0; })); // who looks may still find some
  std::atomic<bool> ran{false};
  auto task = async(pool_executor("a"), [&] { ran = true; });
  run_together("default", 3);
  EXPECT_FALSE(ran);
  rt.set_concurrency("a", 1); // which is no limit
  task.get();
  rt.set_concurrency("default", 1);
  async(pool_executor("a"), [] {}).get();
  rt.set_concurrency("default", 4);
  for (const unsigned n : {1u, 2u, 3u, 4u}) { // of which one comes by lending
    rt.set_concurrency(n);
    for (int i = 0; i < 20; ++i) run_together("a", static_cast<int>(n));
  }
}

TEST(pool_without_workers, needs_pools_that_lend) {
  const auto refuses = [](const char* pools) {
    runtime rt({.workers = 2, .pools = pools});
    EXPECT_THROW(rt.resize_pool("a", 0), std::invalid_argument) << pools;
    async(pool_executor("a"), [] {}).get();
  };
  refuses("a:1:exclusive");
  refuses("a:1:policy=static");
  refuses("a:1,default:2:exclusive");
  refuses("a:1:stack-bytes=4194304");
  refuses("a:1:cpus=0");
}

TEST(pool_without_workers, leaves_one_for_each) {
  runtime rt({.workers = 1, .pools = "a:1,b:1"});
  rt.resize_pool("a", 0);
  EXPECT_THROW(rt.resize_pool("b", 2), std::invalid_argument); // the default pool keeps one for itself, and for a
  rt.resize_pool("b", 0);
  EXPECT_THROW(rt.resize_pool("a", 2), std::invalid_argument);
  for (const char* pool : {"a", "b"})
    EXPECT_TRUE(async(pool_executor(pool), [] { return pool_executor("default").is_here(); }).get());
  rt.resize_pool("a", 1);
  rt.resize_pool("b", 1);
  run_together("default", 3); // with what both lend
}

class without_workers_test : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(pools, without_workers_test,
                         ::testing::Values("", ":policy=local-priority-fifo", ":policy=critical-path"));

/// Futures of both pools that need each other, while one comes and goes, everything is bound anew, and the number of
/// active workers changes.
TEST_P(without_workers_test, loses_no_task_meanwhile) {
  const std::string how = GetParam();
  runtime rt({.pools = "a:2" + how + ",b:1" + how + ",default:3" + how});
  std::atomic<bool> over{false};
  std::thread changes([&] {
    std::mt19937 random(11);
    const char* const bindings[] = {"none", "scatter", "compact", "numa-balanced-mtp"};
    while (!over) {
      rt.resize_pool(random() % 2 == 0 ? "a" : "b", static_cast<unsigned>(random() % 3));
      if (random() % 4 == 0) rt.set_concurrency(1 + static_cast<unsigned>(random() % 6));
      if (random() % 4 == 0) rt.set_binding(bindings[random() % 4]);
      std::this_thread::yield();
    }
    rt.set_concurrency(6);
  });
  std::atomic<long> done{0};
  constexpr int k_rounds = 150, k_tasks = 40;
  for (int round = 0; round < k_rounds; ++round) {
    std::vector<shared_future<int>> all;
    for (int i = 0; i < k_tasks; ++i) {
      const pool_executor where(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "default");
      const auto body = [&done, round, i](const shared_future<int>& before) {
        ++done;
        if (i % 7 == 0) async(pool_executor("a"), [&done] { ++done; }).get();
        if (round % 50 == 0 && i == 5) this_task::sleep_for(std::chrono::microseconds(200));
        return before.get() + 1;
      };
      auto first = i < 3 ? make_ready_future(0).share() : all[static_cast<std::size_t>(i) - 3];
      all.push_back(dataflow(where, body, std::move(first)).share());
    }
    for (int i = 0; i < k_tasks; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)].get(), i / 3 + 1);
  }
  over = true;
  changes.join();
  EXPECT_EQ(done, k_rounds * (k_tasks + (k_tasks + 6) / 7));
  for (const auto& b : {"a", "b"}) rt.resize_pool(b, 1);
}

TEST(binding, changes_where_workers_run) {
  // Exclusive: else a spare may run a task for a worker that was lent, and has all hardware threads of its pool.
  runtime rt({.workers = 2, .pools = "a:1:exclusive", .bind = "scatter"});
  EXPECT_EQ(rt.binding(), "scatter");
  const auto cpus = [] { // of a worker, when it has looked for work since
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    return CPU_COUNT(&set);
  };
  const int all = cpus();
  const auto all_workers_have = [&](auto is_right) {
    for (int i = 0; i < 10'000; ++i) {
      if (is_right(async(cpus).get()) && is_right(async(pool_executor("a"), cpus).get())) return true;
      std::this_thread::yield();
    }
    return false;
  };
  EXPECT_TRUE(all_workers_have([](int n) { return n == 1; }));
  rt.set_binding("none");
  EXPECT_EQ(rt.binding(), "none");
  EXPECT_TRUE(all_workers_have([all](int n) { return n == all; }));
  rt.set_binding("numa-balanced-mtp");
  EXPECT_EQ(rt.binding(), "numa-balanced-mtp");
  EXPECT_TRUE(all_workers_have([](int n) { return n == 1; }));
  try {
    rt.set_binding("best");
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "runtime::set_binding: expected a mapping (none, packed, compact, scatter, balanced, "
                           "numa-balanced, numa-balanced-mtp), got 'best'");
  }
  EXPECT_EQ(rt.binding(), "numa-balanced-mtp");
}

} // namespace
} // namespace treadle
