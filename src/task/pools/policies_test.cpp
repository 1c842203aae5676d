#include "task/engine/runtime_fixture.hpp"
#include "task/priority/ordering_fixture.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
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

/// Tasks that note in which order they run, on one worker.
struct noted_tasks {
  auto note(int what) {
    ++left;
    return [this, what](auto&&...) {
      order.push_back(what);
      --left;
    };
  }
  template <class Executor>
  void add(const Executor& executor, int what) {
    made.push_back(async(executor, note(what)));
  }
  std::vector<future<void>> made;
  std::vector<int> order;
  std::atomic<int> left{0};
};

/// A task of two workers makes others by make(noted_tasks&), and stays until the other worker has run them; returns in
/// which order that ran them.
template <class Make>
std::vector<int> order_of_the_other_worker(const std::string& policy, Make make) {
  runtime rt({.pools = "default:2:policy=" + policy});
  noted_tasks tasks;
  std::atomic<int> here{0};
  std::atomic<bool> all_made{false};
  const auto meet = [&here] {
    ++here;
    while (here < 2) std::this_thread::yield();
  };
  auto maker = async([&] {
    meet();
    make(tasks);
    all_made = true;
    while (tasks.left > 0) std::this_thread::yield();
  });
  auto other = async([&] {
    meet();
    while (!all_made) std::this_thread::yield();
  });
  maker.get();
  other.get();
  wait_all(tasks.made);
  return tasks.order;
}

TEST(scheduling_policies, tasks_are_queued_with_the_workers_by_turns) {
  for (const bool newest_first : {false, true}) {
    const std::vector<int> order =
        order_of_the_other_worker(newest_first ? "local-priority-lifo" : "local-priority-fifo", [](noted_tasks& tasks) {
          for (int i = 0; i < 10; ++i) tasks.add(parallel_executor(), i);
        });
    ASSERT_EQ(order.size(), 10u);
    const int turn = order[0] % 2; // its own first, every second one
    const std::vector<int> own = newest_first ? std::vector<int>{8, 6, 4, 2, 0} : std::vector<int>{0, 2, 4, 6, 8};
    for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(order[i], own[i] + turn) << newest_first;
  }
}

constexpr auto with_path = [](int ns) { return parallel_executor().with(bottom_level{double(ns)}); };

TEST(scheduling_policies, thieves_take_what_has_the_longest_path_behind_it) {
  EXPECT_EQ(order_of_the_other_worker("critical-path",
                                      [](noted_tasks& tasks) {
                                        for (const int ns : {3, 1, 4, 15, 9, 2, 6}) tasks.add(with_path(ns), ns);
                                        tasks.add(parallel_executor(priority::high).with(bottom_level{1}), 100);
                                      }),
            (std::vector<int>{100, 15, 9, 6, 4, 3, 2, 1}));
}

TEST(scheduling_policies, who_ends_a_task_goes_on_with_its_critical_successor) {
  promise<void> gate;
  EXPECT_EQ(order_of_the_other_worker("critical-path",
                                      [&](noted_tasks& tasks) {
                                        future<void> last = gate.get_future();
                                        for (const int ns : {90, 80, 70})
                                          last = dataflow(with_path(ns), tasks.note(ns), std::move(last));
                                        tasks.made.push_back(std::move(last));
                                        for (const int ns : {40, 75, 85}) tasks.add(with_path(ns), ns);
                                        gate.set_value(); // the others of the chain become ready where the last ends
                                      }),
            (std::vector<int>{90, 85, 80, 75, 70, 40}));
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

/// Of ten tasks on one worker, how many have begun when the one that made them, and had to wait, goes on. What it waits
/// for is there since the first of them, from outside.
int begun_before_the_stack_goes_on(const pool_executor& pool) {
  std::atomic<bool> asked{false}, answered{false};
  promise<void> outside;
  std::thread other([&] {
    asked.wait(false);
    outside.set_value();
    answered = true;
    answered.notify_one();
  });
  const int begun = async(pool, [&, answer = outside.get_future()]() mutable {
                      int so_far = 0;
                      std::vector<future<void>> all;
                      for (int i = 0; i < 10; ++i)
                        all.push_back(async([&] {
                          if (so_far++ != 0) return;
                          asked = true;
                          asked.notify_one();
                          answered.wait(false);
                        }));
                      answer.get();
                      const int before = so_far;
                      wait_all(all);
                      return before;
                    }).get();
  other.join();
  return begun;
}

TEST(scheduling_policies, a_stack_that_can_go_on_goes_before_tasks_that_have_not_begun) {
  for (const std::string policy : {"work-stealing", "critical-path"}) {
    runtime rt({.workers = 1, .pools = "p:1:exclusive:policy=" + policy});
    testing::set_ordering(rt, false);
    for (int i = 0; i < 200; ++i) // now and then the worker's own go first
      EXPECT_LE(begun_before_the_stack_goes_on(pool_executor("p")), 2) << policy;
  }
}

constexpr int k_most_rounds = 100'000; // after which something must have had its turn

TEST(scheduling_policies, tasks_that_wake_each_other_do_not_starve_others) {
  for (const std::string policy : {"work-stealing", "critical-path", "local-priority-fifo", "shared-priority"}) {
    runtime rt({.workers = 1, .pools = "p:1:exclusive:policy=" + policy});
    async(pool_executor("p"), [] {
      bool stopped = false;
      int rounds = 0;
      counting_semaphore<> ping(0), pong(0);
      auto below = async([&] { stopped = true; }); // in the deque
      auto partner = async([&] {
        for (; !stopped && rounds < k_most_rounds; pong.release()) ping.acquire();
        pong.release();
      });
      for (; !stopped && rounds < k_most_rounds; pong.acquire()) {
        ++rounds;
        ping.release();
      }
      ping.release();
      partner.get();
      below.get();
      EXPECT_LT(rounds, k_most_rounds);
    }).get();
  }
}

TEST(scheduling_policies, long_paths_do_not_starve_short_ones) {
  runtime rt({.workers = 1, .pools = "p:1:exclusive:policy=critical-path"});
  async(pool_executor("p"), [] {
    bool stopped = false;
    latch ended(2);
    std::vector<future<void>> made;
    made.push_back(async(with_path(1), [&] {
      stopped = true;
      ended.count_down();
    }));
    std::function<void()> go_on = [&] {
      if (stopped || made.size() == k_most_rounds) return ended.count_down();
      made.push_back(async(with_path(1000), go_on));
    };
    go_on();
    ended.wait();
    EXPECT_LT(made.size(), std::size_t{k_most_rounds});
  }).get();
}

enum class queued { in_deque, by_path, from_outside };

/// Two tasks of which one blocks only when the other, which had blocked before, can go on: there is always a stack that
/// can go on. A third yields, so there is always something injected, too. What ends this is queued somewhere.
void end_while_stacks_go_on(const std::string& policy, queued where) {
  runtime rt({.workers = 1, .pools = "p:1:exclusive:policy=" + policy});
  testing::set_ordering(rt, false);
  constexpr int k_nobody = -1, k_end = 2;
  std::array<counting_semaphore<>, 2> turns{counting_semaphore<>(0), counting_semaphore<>(0)};
  std::atomic<int> asked_for{k_nobody};
  std::thread outside([&] {
    for (int whom = 0; whom != k_end;) {
      asked_for.wait(k_nobody);
      whom = asked_for;
      if (whom != k_end) turns[static_cast<std::size_t>(whom)].release();
      asked_for = k_nobody;
      asked_for.notify_one();
    }
  });
  const auto ask_for = [&](int whom) {
    asked_for = whom;
    asked_for.notify_one();
    asked_for.wait(whom);
  };
  std::atomic<bool> goes_on{false};
  const auto tell_that_it_goes_on = [&] {
    goes_on = true;
    goes_on.notify_one();
  };
  bool stopped = false;
  int begun = 0, rounds = 0;
  const auto take_turns = [&](int me) {
    for (bool has_other = begun++ != 0; !stopped && rounds < k_most_rounds; has_other = true) {
      ++rounds;
      if (has_other) ask_for(1 - me);
      if (has_other) tell_that_it_goes_on();
      turns[static_cast<std::size_t>(me)].acquire();
    }
    tell_that_it_goes_on();
    turns[static_cast<std::size_t>(1 - me)].release();
  };
  const auto stop = [&] { stopped = true; };
  auto all = async(pool_executor("p"), [&] {
    future<void> last;
    if (where == queued::in_deque) last = async(stop); // the others are above it
    if (where == queued::by_path) last = async(with_path(1), stop);
    auto first = async(take_turns, 0), second = async(take_turns, 1);
    auto yielding = async([&] {
      while (!stopped && rounds < k_most_rounds) this_task::yield();
    });
    yielding.get();
    first.get();
    second.get();
    if (last.valid()) last.get();
  });
  goes_on.wait(false);
  if (where == queued::from_outside) async(pool_executor("p"), stop).get();
  all.get();
  ask_for(k_end);
  outside.join();
  EXPECT_LT(rounds, k_most_rounds) << policy;
}

TEST(scheduling_policies, stacks_that_go_on_do_not_starve_tasks) {
  end_while_stacks_go_on("work-stealing", queued::in_deque);
  end_while_stacks_go_on("work-stealing", queued::from_outside);
  end_while_stacks_go_on("critical-path", queued::in_deque);
  end_while_stacks_go_on("critical-path", queued::by_path);
  end_while_stacks_go_on("critical-path", queued::from_outside);
}

/// Who wakes the last task from outside may still be about it when the runtime ends.
TEST(scheduling_policies, a_runtime_may_end_as_soon_as_its_last_task_was_woken) {
  for (const std::string policy : {"work-stealing", "critical-path", "local-priority-fifo", "shared-priority"})
    for (int i = 0; i < 100; ++i) {
      promise<void> from_outside;
      std::atomic<bool> waits{false};
      auto rt = std::make_unique<runtime>(runtime_options{.workers = 1, .pools = "p:1:policy=" + policy});
      auto last = async(pool_executor("p"), [&, answer = from_outside.get_future()]() mutable {
        waits = true;
        waits.notify_one();
        answer.get();
      });
      std::thread outside([&] {
        waits.wait(false);
        std::this_thread::sleep_for(std::chrono::microseconds(20)); // most often it has left its stack by then
        from_outside.set_value();
      });
      last.get();
      rt.reset();
      outside.join();
    }
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
