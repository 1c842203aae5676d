#include <treadle/treadle.hpp>

#include "task/engine/runtime_fixture.hpp"
#include "task/engine/scheduler.hpp"
#include "task/priority/ordering_fixture.hpp"
#include "task/priority/task_paths.hpp"
#include "task/timing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace {

using treadle::dataflow;
using treadle::shared_future;

/// A creator makes 20 short tasks, and then a chain of five longer ones; returns the order in which they ran.
std::vector<int> order_of_chain_and_others() {
  std::vector<int> order; // one worker
  std::vector<shared_future<void>> made;
  for (int i = 0; i < 20; ++i)
    made.push_back(treadle::async([&order, i] {
      treadle::testing::spin_for(std::chrono::microseconds(5));
      order.push_back(i);
    }));
  shared_future<void> last = treadle::make_ready_future();
  for (int i = 100; i < 105; ++i) {
    last = dataflow(
        [&order, i](const shared_future<void>&) {
          treadle::testing::spin_for(std::chrono::microseconds(20));
          order.push_back(i);
        },
        last);
    made.push_back(last);
  }
  treadle::when_all(made).get();
  return order;
}

/// How often a program may have to run until it is known how long its tasks take: one that was interrupted seems to
/// take long for a while.
constexpr int k_rounds_to_learn = 1000;

/// Calls holds() until it has been true so many times in a row; how often that was in the end.
template <class F>
int in_a_row(int wanted, F holds, int rounds = k_rounds_to_learn) {
  int times = 0;
  for (int i = 0; i < rounds && times < wanted; ++i) times = holds() ? times + 1 : 0;
  return times;
}

TEST(critical_path, goes_first_once_it_is_known) {
  treadle::runtime runtime({.workers = 1, .pools = "default:policy=critical-path"});
  treadle::async([] {
    std::vector<int> order(25);
    for (int i = 0; i < k_rounds_to_learn && order[4] != 104; ++i) order = order_of_chain_and_others();
    EXPECT_EQ(std::vector<int>(order.begin(), order.begin() + 5), (std::vector<int>{100, 101, 102, 103, 104}));
  }).get();
}

TEST(critical_path, is_learned_of_threads_outside) {
  treadle::runtime runtime({.workers = 1, .pools = "default:policy=critical-path"});
  std::atomic<bool> may_begin{false};
  std::vector<int> order(14);
  for (int i = 0; i < k_rounds_to_learn && order[3] != 103; ++i) {
    may_begin = false;
    auto gate = treadle::async([&] {
      while (!may_begin) std::this_thread::yield();
    });
    std::vector<shared_future<void>> made;
    order.clear();
    for (int k = 0; k < 10; ++k)
      made.push_back(treadle::async([&order, k] {
        treadle::testing::spin_for(std::chrono::microseconds(5));
        order.push_back(k);
      }));
    shared_future<void> last = treadle::async([&order] { order.push_back(100); });
    for (int k = 101; k < 104; ++k) {
      last = dataflow(
          [&order, k](const shared_future<void>&) {
            treadle::testing::spin_for(std::chrono::microseconds(20));
            order.push_back(k);
          },
          last);
      made.push_back(last);
    }
    may_begin = true;
    gate.get();
    for (const auto& one : made) one.get();
  }
  EXPECT_EQ(std::vector<int>(order.begin(), order.begin() + 4), (std::vector<int>{100, 101, 102, 103}));
}

TEST(critical_path, may_be_given) {
  treadle::runtime runtime({.workers = 1, .pools = "default:policy=critical-path"});
  std::vector<int> order;
  treadle::async([&] {
    std::vector<treadle::future<void>> made;
    for (const int ns : {3, 1, 4, 15, 9, 2, 6})
      made.push_back(treadle::async(treadle::parallel_executor().with(treadle::bottom_level{double(ns)}),
                                    [&order, ns] { order.push_back(ns); }));
    made.push_back(
        treadle::async(treadle::parallel_executor(treadle::priority::low), [&order] { order.push_back(0); }));
    made.push_back(treadle::async(treadle::parallel_executor(treadle::priority::high).with(treadle::bottom_level{1}),
                                  [&] { order.push_back(100); }));
    made.push_back(
        treadle::async(treadle::parallel_executor(treadle::priority::critical), [&] { order.push_back(101); }));
    treadle::when_all(std::move(made)).get();
  }).get();
  EXPECT_EQ(order, (std::vector<int>{101, 100, 15, 9, 6, 4, 3, 2, 1, 0}));
}

/// For the runtime that is made next: how long a task may take that is short. Builds with sanitizers are slow.
class short_tasks_take {
 public:
  explicit short_tasks_take(std::chrono::nanoseconds time) {
    treadle::detail::short_task_ns.store(time.count(), treadle::detail::order::relaxed);
  }
  ~short_tasks_take() {
    treadle::detail::short_task_ns.store(treadle::detail::timing::k_short_task, treadle::detail::order::relaxed);
  }
};

constexpr const char* k_one_pool = "default:policy=critical-path";

/// The first of two has the longer path behind it, a task of that time.
std::vector<int> order_of_two(std::chrono::microseconds behind) {
  std::vector<int> order;
  order.reserve(3);
  treadle::shared_future<void> first = treadle::async([&order] { order.push_back(1); });
  auto after = treadle::dataflow(
      [&order, behind](const treadle::shared_future<void>&) {
        treadle::testing::spin_for(behind);
        order.push_back(3);
      },
      first);
  auto second = treadle::async([&order] { order.push_back(2); });
  while (order.size() < 3) treadle::this_task::yield();
  after.get();
  second.get();
  return order;
}

/// Of short ones the newest goes first.
TEST(critical_path, does_not_order_short_tasks) {
  const short_tasks_take limit(std::chrono::seconds(1));
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  treadle::async([] {
    EXPECT_EQ(in_a_row(10, [] { return order_of_two(std::chrono::microseconds(0))[0] == 2; }), 10);
  }).get();
}

struct runs_at_once {
  void execute(treadle::executable task) const { task(); }
};

/// Also where a thread outside runs some of them itself. Unordered, the first one goes first.
TEST(critical_path, does_not_order_short_tasks_of_threads_outside) {
  const short_tasks_take limit(std::chrono::seconds(1));
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  const auto order_behind_gate = [] {
    std::atomic<bool> may_begin{false};
    std::vector<int> order;
    order.reserve(3);
    auto gate = treadle::async(treadle::annotated(
        [&] {
          while (!may_begin) std::this_thread::yield();
        },
        "gate")); // otherwise it would be known by the name of this function, as the others are
    EXPECT_EQ(treadle::async(runs_at_once{}, treadle::annotated([] { return 1; }, "mine")).get(), 1);
    auto first = treadle::async([&order] { order.push_back(1); });
    treadle::shared_future<void> second = treadle::async([&order] { order.push_back(2); });
    auto after = treadle::dataflow(
        [&order](const treadle::shared_future<void>&) {
          treadle::testing::spin_for(std::chrono::microseconds(50));
          order.push_back(3);
        },
        second);
    may_begin = true;
    treadle::wait_all(gate, first, after);
    return order;
  };
  for (int i = 0; i < 100; ++i) order_behind_gate(); // at first that is their order, because nothing is known of them
  EXPECT_EQ(in_a_row(10, [&] { return order_behind_gate()[0] == 1; }), 10);
}

TEST(critical_path, runs_urgent_tasks_before_short_ones) {
  const short_tasks_take limit(std::chrono::seconds(1));
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  treadle::async([] {
    int before = 0;
    const auto round = [&before] {
      int ran = 0, last = 0;
      before = -1;
      std::vector<treadle::future<void>> all;
      for (int i = 0; i < 20; ++i)
        all.push_back(treadle::async([&, i] {
          ++ran;
          last = i;
        }));
      all.push_back(treadle::async(treadle::parallel_executor(treadle::priority::high), [&] { before = ran; }));
      while (before < 0) treadle::this_task::yield();
      treadle::when_all(std::move(all)).get();
      return last == 0; // the newest first: they were short
    };
    int short_rounds = 0;
    for (int i = 0; i < k_rounds_to_learn && short_rounds < 10; ++i) {
      short_rounds += round() ? 1 : 0;
      EXPECT_EQ(before, 0);
    }
    EXPECT_EQ(short_rounds, 10);
  }).get();
}

/// Short tasks that make others for ever leave room for those that are ordered, also beside one that yields.
TEST(critical_path, is_not_kept_waiting_by_short_tasks) {
  const short_tasks_take limit(std::chrono::seconds(1));
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  std::atomic<bool> ends{false};
  treadle::latch ended(1);
  struct endless {
    std::atomic<bool>& ends;
    treadle::latch& ended;
    void operator()() const {
      if (ends) return ended.count_down();
      static_cast<void>(treadle::async(endless{ends, ended}));
    }
  };
  static_cast<void>(treadle::async(endless{ends, ended}));
  for (int i = 0; i < 100; ++i) {
    std::atomic<bool> has_run{false};
    auto yielding = treadle::async([&has_run] {
      while (!has_run) treadle::this_task::yield();
    });
    treadle::async(treadle::parallel_executor().with(treadle::bottom_level{1}), [&has_run] { has_run = true; }).get();
    yielding.get();
  }
  ends = true;
  ended.wait();
}

/// What was short, and is no longer, is ordered again.
TEST(critical_path, sees_tasks_that_become_longer) {
  const short_tasks_take limit(std::chrono::microseconds(200));
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  treadle::async([] {
    const auto order_of = [](std::chrono::microseconds time) {
      std::vector<int> order;
      auto first = treadle::async([&order, time] {
        treadle::testing::spin_for(3 * time);
        order.push_back(1);
      });
      auto second = treadle::async([&order, time] {
        treadle::testing::spin_for(time);
        order.push_back(2);
      });
      while (order.size() < 2) treadle::this_task::yield();
      treadle::wait_all(first, second);
      return order;
    };
    // The newest first: they are short.
    EXPECT_EQ(in_a_row(10, [&] { return order_of(std::chrono::microseconds(0))[0] == 2; }), 10);
    const auto longer = [&] { return order_of(std::chrono::microseconds(300))[0] == 1; };
    EXPECT_EQ(in_a_row(20, longer, 10 * k_rounds_to_learn), 20);
  }).get();
}

/// The one in the middle takes longest.
TEST(critical_path, orders_tasks_of_groups) {
  const short_tasks_take limit(std::chrono::nanoseconds(0)); // none is short
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  treadle::async([] {
    const auto first_of_group = [] {
      std::vector<int> order;
      treadle::task_group group;
      for (int i = 0; i < 10; ++i)
        group.run([&order, i] {
          treadle::testing::spin_for(std::chrono::microseconds(i == 5 ? 50 : 5));
          order.push_back(i);
        });
      group.wait();
      EXPECT_EQ(order.size(), 10U);
      return order[0];
    };
    EXPECT_EQ(in_a_row(10, [&] { return first_of_group() == 5; }), 10);
  }).get();
}

TEST(critical_path, orders_nothing_while_it_is_told_not_to) {
  const short_tasks_take limit(std::chrono::nanoseconds(0)); // none is short
  treadle::runtime runtime({.workers = 1, .pools = k_one_pool});
  treadle::async([&runtime] {
    const auto begins_with_long_path = [] { return order_of_two(std::chrono::microseconds(50))[0] == 1; };
    EXPECT_EQ(in_a_row(10, begins_with_long_path), 10);
    treadle::testing::set_ordering(runtime, false);
    EXPECT_FALSE(treadle::detail::paths_are_learned.load(treadle::detail::order::relaxed));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(begins_with_long_path()) << i;
    treadle::testing::set_ordering(runtime, true);
    EXPECT_TRUE(treadle::detail::paths_are_learned.load(treadle::detail::order::relaxed));
    EXPECT_EQ(in_a_row(10, begins_with_long_path), 10);
  }).get();
}

int serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

class critical_path_on : public testing::TestWithParam<unsigned> {};

TEST_P(critical_path_on, runs_recursions) {
  treadle::runtime runtime({.workers = GetParam(), .pools = "default:policy=critical-path"});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(treadle::async([] { return treadle::testing::fib(17); }).get(), 1597);
}

/// Short ones below long ones, and the other way around.
TEST_P(critical_path_on, runs_tasks_of_all_lengths) {
  treadle::runtime runtime({.workers = GetParam(), .pools = "default:policy=critical-path,other:1"});
  std::mt19937 random(GetParam());
  for (int repeat = 0; repeat < 100; ++repeat) {
    const unsigned long seed = random();
    const auto f = [seed](unsigned i) {
      if ((seed >> (i % 16) & 7U) == 0) treadle::testing::spin_for(std::chrono::microseconds(seed % 32));
      return treadle::testing::fib(3 + static_cast<int>((seed + i) % 8));
    };
    const auto g = [f](unsigned i) { // a short task, which makes others
      auto lower = treadle::async(f, i);
      auto elsewhere = treadle::async(treadle::pool_executor("other"), f, i + 1);
      return treadle::dataflow([](auto a, auto b) { return a.get() + b.get(); }, std::move(lower), std::move(elsewhere))
          .get();
    };
    std::vector<treadle::future<int>> made;
    for (unsigned i = 0; i < 20; ++i) made.push_back(treadle::async(g, i));
    for (unsigned i = 0; i < 20; ++i) {
      const auto value = [&](unsigned k) { return serial_fib(3 + static_cast<int>((seed + k) % 8)); };
      EXPECT_EQ(made[i].get(), value(i) + value(i + 1));
    }
  }
}

/// Random graphs against what they mean.
TEST_P(critical_path_on, runs_graphs) {
  treadle::runtime runtime({.workers = GetParam(), .pools = "default:policy=critical-path,other:1"});
  std::mt19937 random(GetParam());
  for (int repeat = 0; repeat < 30; ++repeat) {
    const unsigned n = 1 + static_cast<unsigned>(random() % 200);
    std::vector<std::vector<unsigned>> inputs(n);
    std::vector<unsigned long> wanted(n);
    for (unsigned i = 0; i < n; ++i) {
      wanted[i] = i;
      for (unsigned k = i == 0 ? 0 : static_cast<unsigned>(random() % 6); k > 0; --k)
        wanted[i] += 31 * wanted[inputs[i].emplace_back(static_cast<unsigned>(random() % i))];
    }
    const bool outside = random() % 2 == 0;
    const auto run = [&] {
      std::vector<shared_future<unsigned long>> made;
      for (unsigned i = 0; i < n; ++i) {
        std::vector<shared_future<unsigned long>> needed;
        for (const unsigned k : inputs[i]) needed.push_back(made[k]);
        const auto f = [i](const std::vector<shared_future<unsigned long>>& values) {
          unsigned long sum = i;
          for (const auto& v : values) sum += 31 * v.get();
          return sum;
        };
        if (i % 7 == 3)
          made.push_back(dataflow(treadle::pool_executor("other"), f, std::move(needed)));
        else if (i % 7 == 5)
          made.push_back(dataflow(treadle::launch::sync, f, std::move(needed)));
        else
          made.push_back(dataflow(f, std::move(needed)));
      }
      for (unsigned i = 0; i < n; ++i) EXPECT_EQ(made[i].get(), wanted[i]);
    };
    outside ? run() : treadle::async(run).get();
  }
}

/// Some tasks are in queues of either kind, some are learned from their beginning, their end, or not.
TEST_P(critical_path_on, loses_nothing_while_the_order_changes) {
  treadle::runtime runtime(
      {.workers = GetParam(), .pools = "default:policy=critical-path,other:1:policy=critical-path"});
  std::atomic<bool> ends{false};
  std::thread changes([&] {
    std::mt19937 random(GetParam());
    while (!ends) {
      treadle::testing::set_ordering(runtime, random() % 2 == 0);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    }
  });
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<treadle::future<int>> made;
    treadle::latch arrived(20);
    for (int i = 0; i < 20; ++i) {
      made.push_back(treadle::async(treadle::pool_executor(i % 3 == 0 ? "other" : "default"), [&arrived, i, repeat] {
        const int lower = treadle::testing::fib(3 + (repeat + i) % 10);
        arrived.count_down();
        if (i % 5 == 0) arrived.wait(); // goes on elsewhere
        return treadle::dataflow([](auto a, auto b) { return a.get() + b.get(); }, treadle::make_ready_future(lower),
                                 treadle::async(treadle::testing::fib, i % 7))
            .get();
      }));
    }
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(made[static_cast<unsigned>(i)].get(), serial_fib(3 + (repeat + i) % 10) + serial_fib(i % 7));
  }
  ends = true;
  changes.join();
}

TEST_P(critical_path_on, keeps_tasks_that_yield_sleep_and_block) {
  treadle::runtime runtime({.workers = GetParam(), .pools = "default:policy=critical-path"});
  std::atomic<int> done{0};
  treadle::mutex mutex;
  treadle::task_group group;
  for (int i = 0; i < 200; ++i) {
    group.run([&, i] {
      if (i % 3 == 0) treadle::this_task::yield();
      if (i % 50 == 1) treadle::this_task::sleep_for(std::chrono::microseconds(100));
      const std::lock_guard guard(mutex);
      treadle::parallel_invoke([&] { ++done; }, [&] { ++done; });
    });
  }
  group.wait();
  EXPECT_EQ(done, 400);
}

/// A get() runs the task in place and leaves its entry: such entries, and the values they hold, do not pile up.
TEST(critical_path, leaves_no_stale_entries) {
  struct counted {
    explicit counted(std::atomic<int>& n) : alive(&n) { ++*alive; }
    counted(counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
    ~counted() {
      if (alive) --*alive;
    }
    std::atomic<int>* alive;
  };
  std::atomic<int> alive{0};
  std::optional<treadle::runtime> runtime;
  runtime.emplace(treadle::runtime_options{.workers = 1, .pools = "default:policy=critical-path"});
  treadle::async([&] {
    const auto ordered = treadle::parallel_executor().with(treadle::bottom_level{1}); // also where it is short
    std::vector<treadle::future<void>> waiting; // live entries in front of the others
    for (int i = 0; i < 10; ++i)
      waiting.push_back(treadle::async(treadle::parallel_executor(treadle::priority::high), [] {}));
    for (int i = 0; i < 10'000; ++i) {
      treadle::async(ordered, [&alive] { return counted(alive); }).wait();
      treadle::async([&alive] { return counted(alive); }).wait();
      treadle::async(treadle::parallel_executor(treadle::priority::low), [&alive] { return counted(alive); }).wait();
      EXPECT_LE(alive, 1000);
    }
    treadle::when_all(std::move(waiting)).get();
  }).get();
  runtime.reset();
  EXPECT_EQ(alive, 0);
}

INSTANTIATE_TEST_SUITE_P(Workers, critical_path_on, testing::Values(1U, 2U, 4U, 8U),
                         [](const auto& i) { return "w" + std::to_string(i.param); });

} // namespace
