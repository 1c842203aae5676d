#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include "task/engine/runtime_fixture.hpp"

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace treadle {
namespace {

/// So many tasks of a pool run at the same time: each ends when all have begun.
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
      if (random() % 4 == 0) rt.set_concurrency(static_cast<unsigned>(random() % 7));
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
  runtime rt({.workers = 2, .pools = "a:1,b:1:cpus=0"});
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
  EXPECT_NE(message("a", 0).find("may have 1 to 2 workers"), std::string::npos);
  EXPECT_NE(message("a", 3).find("got 3"), std::string::npos);
  EXPECT_NE(message("b", 2).find("pool 'b' has hardware threads of its own"), std::string::npos);
  EXPECT_EQ(message("a", 2), "");
}

} // namespace
} // namespace treadle
