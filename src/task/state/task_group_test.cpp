#include "task/engine/runtime_fixture.hpp"

#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace treadle {
namespace {

class task_group_test : public testing::on_workers {};
TREADLE_ON_WORKERS(task_group_test);

TEST_P(task_group_test, all_tasks_run_once_and_are_seen_after_wait) {
  async([] {
    std::vector<int> runs(1000);
    task_group group;
    for (int& r : runs) group.run([&r] { ++r; });
    group.wait();
    EXPECT_EQ(runs, std::vector<int>(1000, 1));
  }).get();
}

TEST_P(task_group_test, from_a_foreign_thread) {
  std::atomic<int> sum{0};
  task_group group;
  group.wait(); // nothing to wait for
  for (int i = 1; i <= 100; ++i) group.run([&sum, i] { sum += i; });
  group.wait();
  EXPECT_EQ(sum, 5050);
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  task_group group;
  group.run([&] { a = fib(n - 1); });
  group.run([&] { b = fib(n - 2); });
  group.wait();
  return a + b;
}

TEST_P(task_group_test, groups_nest) { EXPECT_EQ(async(fib, 18).get(), 2584); }

void walk(task_group& group, std::atomic<int>& visited, int depth) {
  ++visited;
  if (depth == 0) return;
  for (int child = 0; child < 3; ++child) group.run([&group, &visited, depth] { walk(group, visited, depth - 1); });
}

TEST_P(task_group_test, tasks_add_tasks_to_their_own_group) {
  for (bool foreign : {false, true}) {
    const auto body = [] {
      std::atomic<int> visited{0};
      task_group group;
      walk(group, visited, 7);
      group.wait();
      EXPECT_EQ(visited, (6561 - 1) / 2);
    };
    foreign ? body() : async(body).get();
  }
}

TEST_P(task_group_test, mixed_with_forks_futures_and_suspended_tasks) {
  async([] {
    std::atomic<int> sum{0};
    task_group group;
    promise<int> gate;
    shared_future<int> opened = gate.get_future().share();
    for (int i = 0; i < 20; ++i) {
      group.run([&sum, opened] { sum += opened.get(); });
      group.run([&sum] {
        auto [one, two] = parallel_invoke([] { return 1; }, [] { return async([] { return 2; }).get(); });
        sum += one + two;
      });
    }
    group.run([&gate] { gate.set_value(10); });
    group.wait();
    EXPECT_EQ(sum, 20 * 13);
  }).get();
}

TEST_P(task_group_test, below_the_pending_half_of_a_fork) {
  async([] {
    for (int i = 0; i < 100; ++i) {
      std::atomic<int> sum{0};
      task_group group;
      parallel_invoke([&] { group.run([&] { sum += 1; }); }, [&] { sum += 2; });
      group.wait();
      EXPECT_EQ(sum, 3);
    }
  }).get();
}

TEST_P(task_group_test, the_first_exception_is_rethrown_and_the_group_used_again) {
  async([] {
    task_group group;
    for (int round = 0; round < 20; ++round) {
      group.run([] { throw std::runtime_error("from a task"); });
      EXPECT_THROW(group.wait(), std::runtime_error);
      EXPECT_FALSE(group.stop_requested());
      int runs = 0;
      group.run([&] { ++runs; });
      group.wait();
      EXPECT_EQ(runs, 1);
    }
  }).get();
}

TEST_P(task_group_test, cancelled_tasks_that_have_not_started_are_dropped_and_destroyed) {
  async([] {
    const auto held = std::make_shared<int>(0);
    task_group group;
    group.cancel();
    EXPECT_TRUE(group.stop_requested());
    for (int i = 0; i < 10; ++i) group.run([held] { ++*held; });
    group.wait();
    EXPECT_EQ(*held, 0);
    EXPECT_EQ(held.use_count(), 1);
    group.run([held] { ++*held; });
    group.wait();
    EXPECT_EQ(*held, 1);
  }).get();
}

TEST_P(task_group_test, a_running_task_sees_the_cancellation) {
  async([] {
    task_group group;
    for (int i = 0; i < 3; ++i) {
      group.run([&] {
        while (!group.stop_requested()) this_task::yield();
      });
    }
    group.run([&] { group.cancel(); });
    group.wait();
  }).get();
}

TEST_P(task_group_test, an_external_stop_token_cancels) {
  async([] {
    std::stop_source source;
    task_group group(source.get_token());
    std::atomic<int> runs{0};
    group.run([&] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 1);
    source.request_stop();
    EXPECT_TRUE(group.stop_requested());
    group.run([&] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 1);
    EXPECT_TRUE(group.stop_requested()) << "the source says so for good";
  }).get();
}

TEST_P(task_group_test, the_destructor_waits_for_what_runs) {
  async([] {
    std::atomic<int> started{0}, finished{0};
    {
      task_group group;
      for (int i = 0; i < 100; ++i) {
        group.run([&] {
          ++started;
          this_task::yield();
          ++finished;
        });
      }
      this_task::yield();
    }
    EXPECT_EQ(started, finished);
  }).get();
}

TEST_P(task_group_test, waited_for_on_another_stack_than_the_one_that_made_it) {
  async([] {
    std::atomic<int> sum{0};
    auto group = std::make_unique<task_group>();
    for (int i = 0; i < 50; ++i) group->run([&] { ++sum; });
    async(launch::fork, [&] {
      for (int i = 0; i < 50; ++i) group->run([&] { ++sum; });
      group->wait();
    }).get();
    EXPECT_EQ(sum, 100);
  }).get();
}

TEST_P(task_group_test, made_by_a_task_that_has_ended) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> sum{0};
    const auto group = async([] { return std::make_unique<task_group>(); }).get();
    for (int k = 0; k < 50; ++k) group->run([&] { group->run([&] { ++sum; }); });
    group->wait();
    EXPECT_EQ(sum, 50);
  }
}

TEST_P(task_group_test, a_function_that_cannot_be_copied_or_throws_when_it_is) {
  async([] {
    task_group group;
    int got = 0;
    group.run([&got, value = std::make_unique<int>(7)] { got = *value; });
    struct throws_when_copied {
      throws_when_copied() = default;
      throws_when_copied(const throws_when_copied&) { throw std::runtime_error("copied"); }
      void operator()() const {}
    } function;
    EXPECT_THROW(group.run(function), std::runtime_error);
    group.wait();
    EXPECT_EQ(got, 7);
  }).get();
}

TEST_P(task_group_test, a_million_tasks_at_once) {
  async([] {
    constexpr int k_tasks = 1'000'000;
    std::vector<unsigned char> ran(k_tasks);
    task_group group;
    for (int i = 0; i < k_tasks; ++i) group.run([&ran, i] { ran[static_cast<std::size_t>(i)] = 1; });
    group.wait();
    EXPECT_EQ(std::count(ran.begin(), ran.end(), 1), k_tasks);
  }).get();
}

TEST_P(task_group_test, over_aligned_functions) {
  struct alignas(64) wide {
    double values[8];
  };
  async([] {
    wide w{{1, 2, 3, 4, 5, 6, 7, 8}};
    std::atomic<int> right{0};
    task_group group;
    for (int i = 0; i < 10; ++i) {
      group.run([w, &right] { right += reinterpret_cast<std::uintptr_t>(&w) % 64 == 0 && w.values[7] == 8; });
    }
    group.wait();
    EXPECT_EQ(right, 10);
  }).get();
}

} // namespace
} // namespace treadle
