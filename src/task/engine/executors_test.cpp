#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm/for_each.hpp>
#include <treadle/algorithm/for_loop.hpp>
#include <treadle/algorithm/sort.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

namespace treadle {
namespace {

class executors_test : public testing::on_workers {};
TREADLE_ON_WORKERS(executors_test);

std::string thread_name() {
  char name[32] = {};
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

TEST_P(executors_test, async_with_each_executor) {
  const auto body = [] {
    EXPECT_EQ(async(parallel_executor(), [](int a, int b) { return a + b; }, 1, 2).get(), 3);
    EXPECT_EQ(async(parallel_executor(priority::critical), [] { return std::string("x"); }).get(), "x");
    EXPECT_EQ(async(parallel_executor(priority::low), [] { return 4; }).get(), 4);
    EXPECT_EQ(async(pool_executor("default"), [] { return 5; }).get(), 5);
    EXPECT_TRUE(async(sequenced_executor(), [] {}).is_ready());
    EXPECT_THROW(async(parallel_executor(priority::high), [] { throw std::runtime_error("x"); }).get(),
                 std::runtime_error);
  };
  async(body).get();
  body();
}

TEST_P(executors_test, dataflow_and_then_with_an_executor) {
  async([] {
    promise<int> first;
    auto sum = dataflow(
        parallel_executor(priority::high), [](future<int> a, future<int> b) { return a.get() + b.get(); },
        first.get_future(), async([] { return 2; }));
    auto after = sum.then(parallel_executor(priority::low), [](future<int> f) { return f.get() * 10; });
    first.set_value(1);
    EXPECT_EQ(after.get(), 30);
  }).get();
}

TEST_P(executors_test, dataflow_and_then_with_an_executor_unwrap) {
  const auto check = [](const auto& executor) {
    future<int> sum = dataflow(executor, [](int x) { return async([x] { return x + 1; }); }, 1);
    future<int> after = sum.then(executor, [](future<int> f) { return f; });
    EXPECT_EQ(after.get(), 2);
    future<void> failed = make_ready_future().then(
        executor, [](future<void>) { return make_exceptional_future<void>(std::runtime_error("inner")); });
    EXPECT_THROW(failed.get(), std::runtime_error);
  };
  const auto body = [&] {
    check(parallel_executor());
    check(parallel_executor(priority::high));
    check(sequenced_executor());
    check(pool_executor("default"));
  };
  async(body).get();
  body();
}

TEST(executors_order_test, urgent_tasks_go_first_and_low_ones_last) {
  runtime rt({.workers = 1});
  async([] {
    std::vector<int> order;
    std::vector<future<void>> all;
    const auto note = [&order](int what) { return [&order, what] { order.push_back(what); }; };
    all.push_back(async(parallel_executor(priority::low), note(0)));
    all.push_back(async(note(1)));
    all.push_back(async(parallel_executor(priority::high), note(2)));
    all.push_back(async(parallel_executor(priority::high), note(3)));
    all.push_back(async(parallel_executor(priority::critical), note(4)));
    promise<void> end;
    const auto last = async(parallel_executor(priority::low), [&end] { end.set_value(); });
    end.get_future().get(); // suspends: the queues are served
    EXPECT_EQ(order, (std::vector<int>{4, 2, 3, 1, 0}));
    for (auto& f : all) f.get();
  }).get();
}

TEST(pools_test, tasks_run_and_stay_in_their_pool) {
  runtime rt({.workers = 2, .pools = "io:1:exclusive,blas-2:2"});
  EXPECT_EQ(rt.workers(), 2u);
  const pool_executor io("io"), blas("blas-2", priority::high), ordinary("default");
  EXPECT_EQ(async(io, thread_name).get(), "io-0");
  EXPECT_EQ(async(blas, thread_name).get().substr(0, 6), "blas-2");
  EXPECT_EQ(async(io, [] { return async(thread_name).get(); }).get(), "io-0");
  EXPECT_EQ(async([&] { return async(io, thread_name).get(); }).get(), "io-0") << "a get() elsewhere does not run it";
  EXPECT_EQ(async(io, [&] { return async(ordinary, thread_name).get().substr(0, 8); }).get(), "treadle-");
  EXPECT_EQ(async(io, [] { return &runtime::current(); }).get(), &rt);
}

TEST(pools_test, what_a_task_creates_stays_in_its_pool) {
  runtime rt({.workers = 1, .pools = "io:1:exclusive"});
  promise<future<std::string>> created;
  std::atomic<bool> stop{false};
  auto creator = async(pool_executor("io"), [&] {
    created.set_value(async(thread_name));
    while (!stop) {
    }
  });
  auto waiting = async([&] {
    auto inner = created.get_future().get();
    static_cast<void>(async([&] { stop = true; })); // runs as soon as the next line waits, and not before
    return inner.get();
  });
  EXPECT_EQ(waiting.get(), "io-0");
  creator.get();
}

/// Named by an executor or not: who waits runs them in place, so that a recursion needs no stack for each.
TEST(pools_test, what_a_pool_that_lends_sends_to_itself_is_run_in_place) {
  runtime rt({.workers = 1, .pools = "other:1"});
  const pool_executor here("default");
  const counters::counter stacks("/threads/count/stacks");
  struct recursion {
    const pool_executor& where;
    const counters::counter& stacks;
    double operator()(int depth) const {
      if (depth == 0) return stacks.value();
      auto lower = async(where, *this, depth - 1); // not the newest one when it is waited for
      auto other = async(where, [] {});
      const double most = lower.get();
      other.get();
      return most;
    }
  };
  std::atomic<bool> ends{false}; // its worker does not help: who is helped leaves a stack
  auto busy = async(pool_executor("other"), [&ends] {
    while (!ends) std::this_thread::yield();
  });
  EXPECT_LT(async(here, recursion{here, stacks}, 1000).get(), 100);
  ends = true;
  busy.get();
}

TEST(pools_test, tasks_wander_between_pools_until_all_is_idle) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> hops{0};
    {
      runtime rt({.workers = 1, .pools = "a:1,b:1"});
      struct hop { // with executors of its own: the last ones run while the runtime is destroyed
        std::array<pool_executor, 3> pools;
        std::atomic<int>& hops;
        void operator()(int left) const {
          ++hops;
          if (left > 0) static_cast<void>(async(pools[static_cast<std::size_t>(left) % 3], *this, left - 1));
        }
      };
      const hop first{{pool_executor("a"), pool_executor("b"), pool_executor("default")}, hops};
      static_cast<void>(async(first.pools[0], first, 50));
      if (round % 2 == 0) rt.wait_idle();
      EXPECT_TRUE(round % 2 == 1 || hops == 51);
    }
    EXPECT_EQ(hops, 51);
  }
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(pools_test, bad_names_and_sizes_are_refused_by_name) {
  {
    runtime rt({.workers = 1, .pools = "io:1"});
    EXPECT_EQ(message([] { pool_executor e("ios"); }),
              "no pool 'ios'; there are 'default', 'io' (runtime_options::pools, TREADLE_POOLS)");
  }
  EXPECT_EQ(message([] { runtime rt({.workers = 1, .pools = "a:4097"}); }), "pool 'a': at most 4096 workers");
  EXPECT_NE(message([] { runtime rt({.workers = 1, .pools = "a:1:stack-bytes=1"}); }).find("pool 'a': stack_bytes"),
            std::string::npos);
}

TEST(pools_test, loops_run_where_their_executor_says) {
  runtime rt({.workers = 1, .pools = "io:2"});
  const pool_executor io("io");
  const auto names = [&](const auto& policy) {
    std::atomic<int> elsewhere{0};
    for_loop(policy, 0, 100, [&](int) {
      this_task::yield();
      if (thread_name().substr(0, 3) != "io-") ++elsewhere;
    });
    return elsewhere.load();
  };
  EXPECT_EQ(names(par.on(io)), 0);
  EXPECT_EQ(names(par.with(static_chunk_size{1}).on(io)), 0);
  EXPECT_EQ(names(seq.on(io)), 0);
  EXPECT_EQ(async(io, [&] { return names(par.on(io)); }).get(), 0);
  EXPECT_EQ(async([&] { return names(par.on(io)); }).get(), 0);
  EXPECT_EQ(names(par), 100);
  EXPECT_EQ(async(io, [&] { return names(par.on(pool_executor("default"))); }).get(), 100);

  std::vector<int> order;
  for_loop(par.on(sequenced_executor()), 0, 10, [&](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  int sum = 0;
  for_loop(par(task).on(parallel_executor(priority::high)), 0, 10, reduction_plus(sum), [](int i, int& s) {
    s += i;
  }).get();
  EXPECT_EQ(sum, 45);
  EXPECT_THROW(for_loop(par.on(io), 0, 10, [](int) { throw std::runtime_error("x"); }), std::runtime_error);
}

/// Runs what it is given on a thread of its own, in order.
struct one_thread {
  struct state {
    std::mutex mutex;
    std::deque<executable> tasks;
    bool drops = false;
  };
  std::shared_ptr<state> shared = std::make_shared<state>();

  void execute(executable task) const {
    const std::lock_guard guard(shared->mutex);
    if (!shared->drops) shared->tasks.push_back(std::move(task));
  }
  void run_all() const {
    for (;;) {
      std::unique_lock guard(shared->mutex);
      if (shared->tasks.empty()) return;
      executable next = std::move(shared->tasks.front());
      shared->tasks.pop_front();
      guard.unlock();
      next();
    }
  }
};

TEST_P(executors_test, a_programs_own_executor_runs_tasks) {
  const one_thread mine;
  std::vector<int> order;
  auto first = async(mine, [&](int x) { order.push_back(x); }, 1);
  auto second = async(mine, [&] { order.push_back(2); });
  auto fails = async(mine, []() -> int { throw std::runtime_error("x"); });
  auto last = dataflow(mine, [&](future<void> f) { return f.is_ready() ? 3 : 0; }, std::move(second));
  auto named_one = async(named(mine, "mine"), [] { return 5; });
  EXPECT_FALSE(first.is_ready());
  std::atomic<bool> stop{false};
  std::thread runs([&] {
    while (!stop) mine.run_all();
  });
  first.get();
  EXPECT_THROW(fails.get(), std::runtime_error);
  EXPECT_EQ(last.get(), 3);
  EXPECT_EQ(named_one.get(), 5);
  EXPECT_EQ(async([&] { return async(mine, [] { return 4; }).get(); }).get(), 4);
  int sum = 0;
  for_loop(par.on(mine), 0, 10, reduction_plus(sum), [](int i, int& s) { s += i; });
  EXPECT_EQ(sum, 45);
  stop = true;
  runs.join();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  mine.shared->drops = true;
  EXPECT_THROW(async(mine, [] {}).get(), future_error);
}

/// Runs what it is given at once.
struct at_once {
  void execute(executable task) const { task(); }
};

/// Where loops put their iterations: on the thread of the executor, at most this many at a time, in order.
TEST_P(executors_test, loops_run_where_a_programs_own_executor_has_them_run) {
  const one_thread mine;
  std::atomic<bool> stop{false};
  std::thread runs([&] {
    while (!stop) mine.run_all();
  });
  const std::thread::id its = runs.get_id();
  std::atomic<int> elsewhere{0};
  const auto here = [&] { elsewhere += std::this_thread::get_id() != its; };
  std::vector<int> numbers(1000);
  for (const auto& policy : {par.on(mine), par.on(mine).with(static_chunk_size{7})}) {
    for_loop(policy, 0, 1000, [&](int i) {
      here();
      numbers[static_cast<std::size_t>(i)] = i;
    });
  }
  int expected = 0;
  for (const int n : numbers) EXPECT_EQ(n, expected++);
  std::string letters;
  for_loop(par.on(named(mine, "loop")), 0, 26, reduction(letters, std::string(), std::plus<>()),
           [&](int i, std::string& s) {
             here();
             s += static_cast<char>('a' + i);
           });
  EXPECT_EQ(letters, "abcdefghijklmnopqrstuvwxyz");
  for_each(par.on(mine), numbers, [&](int& n) {
    here();
    ++n;
  });
  std::list<int> list(numbers.begin(), numbers.end());
  for_each(par.on(mine), list.begin(), list.end(), [&](int) { here(); });
  for_each(seq.on(mine), numbers, [&](int) { here(); });
  sort(par.on(mine), numbers.begin(), numbers.end(), [&](int a, int b) {
    here();
    return a > b;
  });
  EXPECT_EQ(numbers.front(), 1000);
  for_loop(par(task).on(mine), 0, 10, [&](int) { here(); }).get();
  for_loop(par.on(mine), 0, 0, [&](int) { here(); });
  EXPECT_EQ(elsewhere, 0);
  const auto first_error = [&] {
    try {
      for_loop(par.on(mine), 0, 100, [](int i) {
        if (i >= 30) throw i;
      });
    } catch (int i) {
      return i;
    }
    return -1;
  };
  EXPECT_EQ(first_error(), 30);
  EXPECT_EQ(async([&] {
              int sum = 0;
              for_loop(par.on(mine), 0, 10, reduction_plus(sum), [](int i, int& s) { s += i; });
              return sum;
            }).get(),
            45);
  stop = true;
  runs.join();
  mine.shared->drops = true;
  EXPECT_THROW(for_loop(par.on(mine), 0, 10, [](int) {}), future_error);
}

/// Takes all tasks of a loop at once, and runs them from the last to the first; or takes only the first ones.
struct all_at_once {
  std::size_t* calls;
  std::size_t taken = SIZE_MAX;
  void execute(executable task) const { task(); }
  void execute_all(std::span<executable> tasks) const {
    ++*calls;
    for (std::size_t i = std::min(tasks.size(), taken); i > 0; --i) tasks[i - 1]();
  }
};

TEST_P(executors_test, an_executor_may_take_all_tasks_of_a_loop_at_once) {
  std::size_t calls = 0;
  const all_at_once mine{&calls};
  std::vector<int> order;
  for_loop(par.on(mine), 0, 50, [&](int i) { order.push_back(i); });
  EXPECT_EQ(calls, 1u);
  ASSERT_EQ(order.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], 49 - i);
  int sum = 0;
  for_loop(par.on(named(mine, "sum")).with(static_chunk_size{10}), 0, 100, reduction_plus(sum),
           [](int i, int& s) { s += i; });
  EXPECT_EQ(sum, 4950);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(async(mine, [] { return 3; }).get(), 3);
  EXPECT_THROW(for_loop(par.on(all_at_once{&calls, 20}), 0, 50, [](int) {}), future_error);
  EXPECT_THROW(for_loop(par.on(mine), 0, 50,
                        [](int i) {
                          if (i % 20 == 19) throw i;
                        }),
               int);
  for_loop(par.on(mine), 0, 0, [](int) {});
}

TEST_P(executors_test, loops_keep_to_a_limit) {
  for (const int limit : {1, 2}) {
    const limiting_executor limited(parallel_executor(), static_cast<unsigned>(limit));
    std::atomic<int> now{0}, most{0}, done{0};
    const auto body = [&](int) {
      const int mine = ++now;
      for (int seen = most; seen < mine && !most.compare_exchange_weak(seen, mine);) {
      }
      this_task::yield();
      --now;
      ++done;
    };
    for_loop(par.on(limited), 0, 500, body);
    async([&] { for_loop(par.on(limited), 0, 500, body); }).get();
    EXPECT_EQ(done, 1000);
    EXPECT_LE(most, limit);
  }
}

TEST_P(executors_test, a_limit_on_what_runs_at_once_does_not_use_up_the_stack) {
  constexpr int k_many = 100'000;
  const auto all_run = [&](const auto& limited) {
    std::atomic<int> done{0};
    std::vector<future<void>> waiting;
    waiting.reserve(k_many);
    auto first = async(limited, [&] {
      for (int i = 0; i < k_many; ++i) waiting.push_back(async(limited, [&] { ++done; }));
    });
    first.get();
    for (auto& one : waiting) one.get();
    return done == k_many;
  };
  EXPECT_TRUE(all_run(limiting_executor(at_once(), 1)));
  EXPECT_TRUE(all_run(limiting_executor(sequenced_executor(), 1)));
  EXPECT_TRUE(async([&] { return all_run(limiting_executor(at_once(), 1)); }).get());
  EXPECT_TRUE(async([&] { return all_run(limiting_executor(sequenced_executor(), 2)); }).get());
}

TEST_P(executors_test, a_limit_holds_and_nobody_waits_for_ever) {
  const limiting_executor limited(parallel_executor(), 2);
  std::atomic<int> here{0}, most{0}, done{0};
  std::vector<future<void>> all;
  for (int i = 0; i < 200; ++i)
    all.push_back(async(limited, [&] {
      const int now = ++here;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      this_task::yield();
      --here;
      ++done;
    }));
  wait_all(all);
  EXPECT_LE(most, 2);
  EXPECT_EQ(done, 200);
  std::vector<int> order;
  const limiting_executor alone(parallel_executor(), 1);
  std::vector<future<void>> in_order;
  for (int i = 0; i < 20; ++i) in_order.push_back(async(alone, [&order, i] { order.push_back(i); }));
  wait_all(in_order);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_THROW(limiting_executor(parallel_executor(), 0), std::invalid_argument);
}

TEST(executors_properties_test, are_changed_copies) {
  runtime rt({.pools = "default:2:policy=static"});
  const pool_executor all("default");
  EXPECT_STREQ(all.name(), "default");
  EXPECT_EQ(all.with(priority::high).level(), priority::high);
  EXPECT_EQ(parallel_executor().with(priority::low).level(), priority::low);
  EXPECT_EQ(named(all, "x").with(priority::high).inner.level(), priority::high);
  EXPECT_EQ(async(named(all, "x").with(worker_hint{1}), [] { return this_task::worker_index(); }).get(), 1);
  struct own { // a program's own executor has its own properties
    int level = 0;
    own with(int other) const noexcept { return {other}; }
    void execute(executable task) const { task(); }
  };
  EXPECT_EQ(named(own(), "x").with(3).inner.level, 3);
  EXPECT_EQ(async(named(own(), "x").with(3), [] { return 4; }).get(), 4);
  const limiting_executor one_at_a_time(all.with(worker_hint{1}), 1);
  EXPECT_EQ(async(one_at_a_time, [] { return this_task::worker_index(); }).get(), 1);
  for (unsigned worker : {0u, 1u, 1u, 0u, 1u})
    EXPECT_EQ(async(all.with(worker_hint{worker}), [] { return this_task::worker_index(); }).get(),
              static_cast<int>(worker));
}

TEST(annotation_test, names_tasks_and_passes_calls_on) {
  runtime rt({.workers = 2});
  int calls = 0;
  auto f = annotated([&calls](int x) mutable { return ++calls + x; }, "count up");
  EXPECT_STREQ(f.annotation(), "count up");
  EXPECT_EQ(async(f, 10).get(), 11);
  EXPECT_EQ(async(parallel_executor(), annotated([] { return 1; }, "one")).get(), 1);
  EXPECT_EQ(async([] { return 1; }).then(annotated([](future<int> x) { return x.get() + 1; }, "next")).get(), 2);
}

} // namespace
} // namespace treadle
