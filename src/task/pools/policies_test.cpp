#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using namespace std::chrono_literals;
using testing::fib;
using testing::forked_fib;

/// In which order tasks of one worker begin that a task of it has created.
std::vector<int> order_of(const std::string& policy, const std::vector<priority>& levels) {
  runtime rt({.workers = 1, .pools = "p:1:exclusive:policy=" + policy});
  std::vector<int> order;
  async(pool_executor("p"), [&] {
    std::vector<future<void>> all;
    for (std::size_t i = 0; i < levels.size(); ++i)
      all.push_back(async(parallel_executor(levels[i]), [&order, i] { order.push_back(static_cast<int>(i)); }));
    wait_all(all);
  }).get();
  return order;
}

constexpr auto k_low = priority::low, k_normal = priority::normal, k_high = priority::high,
               k_critical = priority::critical;

TEST(scheduling_policies, keep_their_order) {
  const std::vector<priority> alike(4, k_normal), mixed{k_normal, k_low, k_high, k_normal, k_critical, k_high};
  EXPECT_EQ(order_of("local-priority-fifo", alike), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(order_of("static", alike), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(order_of("shared-priority", alike), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(order_of("local-priority-lifo", alike), (std::vector<int>{3, 2, 1, 0}));
  for (const char* policy : {"local-priority-fifo", "static", "shared-priority"})
    EXPECT_EQ(order_of(policy, mixed), (std::vector<int>{4, 2, 5, 0, 3, 1})) << policy;
}

TEST(scheduling_policies, a_get_waits_for_its_turn) {
  runtime rt({.pools = "default:1:policy=local-priority-fifo"});
  std::vector<int> order;
  async([&] {
    auto first = async([&] { order.push_back(1); });
    auto second = async([&] { order.push_back(2); });
    second.get();
    EXPECT_TRUE(first.is_ready());
    first.get();
  }).get();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(scheduling_policies, static_tasks_stay_with_the_worker_that_they_are_queued_with) {
  runtime rt({.pools = "default:2:policy=static"});
  std::mutex mutex;
  std::map<int, std::vector<int>> by_worker;
  std::vector<future<void>> all;
  std::atomic<bool> go{false};
  for (int i = 0; i < 200; ++i)
    all.push_back(async([&, i] {
      const int before = this_task::worker_index();
      if (i % 16 == 0) std::this_thread::sleep_for(1ms); // the other one has nothing to do meanwhile
      this_task::yield();
      EXPECT_EQ(this_task::worker_index(), before);
      const std::lock_guard guard(mutex);
      by_worker[before].push_back(i);
    }));
  wait_all(all);
  ASSERT_EQ(by_worker.size(), 2u);
  for (const auto& [worker, tasks] : by_worker) {
    EXPECT_EQ(tasks.size(), 100u);
    for (const int i : tasks) EXPECT_EQ(i % 2, tasks.front() % 2);
  }
}

TEST(scheduling_policies, tasks_of_a_static_worker_that_is_away_are_taken_by_others) {
  runtime rt({.pools = "default:2:policy=static"});
  std::atomic<int> done{0};
  auto blocked = async([&] {
    const blocking_region region;
    while (done < 20) std::this_thread::sleep_for(1ms);
  });
  std::vector<future<void>> all;
  for (int i = 0; i < 20; ++i) all.push_back(async([&] { ++done; }));
  wait_all(all);
  blocked.get();
  rt.set_concurrency(1);
  std::vector<future<void>> more;
  for (int i = 0; i < 20; ++i) more.push_back(async([&] { ++done; }));
  wait_all(more);
  EXPECT_EQ(done, 40);
}

class any_policy : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(policies, any_policy,
                         ::testing::Values("work-stealing", "local-priority-fifo", "local-priority-lifo", "static",
                                           "shared-priority", "critical-path"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(any_policy, runs_what_programs_do) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    runtime rt({.pools = "default:" + std::to_string(workers) + ":policy=" + GetParam()});
    EXPECT_EQ(async(fib, 12).get(), 144);
    EXPECT_EQ(async(forked_fib, 16).get(), 987);
    std::vector<int> values(10'000);
    for_loop(par, 0, 10'000, [&](int i) { values[static_cast<std::size_t>(i)] = i; });
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 49'995'000);
    binary_semaphore ping(0), pong(0);
    auto partner = async([&] {
      for (int i = 0; i < 1000; ++i) {
        ping.acquire();
        pong.release();
      }
    });
    for (int i = 0; i < 1000; ++i) {
      ping.release();
      pong.acquire();
    }
    partner.get();
    // Who yields lets others go on, also where the newest goes first.
    std::atomic<bool> stop{false};
    auto yields = async([&] {
      while (!stop) this_task::yield();
    });
    async([&] { stop = true; }).get();
    yields.get();
    async([] { this_task::sleep_for(1ms); }).get();
    std::vector<future<void>> changing;
    for (int i = 0; i < 200; ++i) {
      changing.push_back(async([] { EXPECT_EQ(fib(5), 5); }));
      if (i % 10 == 0) rt.set_concurrency(1 + static_cast<unsigned>(i) / 10 % workers);
    }
    wait_all(changing);
  }
}

} // namespace
} // namespace treadle
