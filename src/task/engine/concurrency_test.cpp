#include "task/engine/concurrency.hpp"

#include "base/rng.hpp"
#include "task/engine/comes_true.hpp"
#include "task/engine/masks_fixture.hpp"
#include "task/engine/runtime_fixture.hpp"
#include "task/worker/worker.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/coroutine.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <sched.h>
#include <unistd.h>

namespace treadle {
namespace {

using namespace std::chrono_literals;
using testing::fib;
using testing::forked_fib;

TEST(shares, give_each_pool_one_and_the_rest_by_size) {
  using list = std::vector<unsigned>;
  const list most{8, 1, 4};
  EXPECT_EQ(detail::shares(most, 0), (list{0, 0, 0}));
  EXPECT_EQ(detail::shares(most, 2), (list{1, 1, 0}));
  EXPECT_EQ(detail::shares(most, 3), (list{1, 1, 1}));
  EXPECT_EQ(detail::shares(most, 8), (list{5, 1, 2}));
  EXPECT_EQ(detail::shares(most, 13), most);
}

TEST(shares, are_all_that_there_is_and_never_too_many) {
  detail::xorshift random(7);
  for (int round = 0; round < 10'000; ++round) {
    std::vector<unsigned> most(1 + random.below(5));
    for (unsigned& m : most) m = 1 + static_cast<unsigned>(random.below(9));
    const unsigned all = std::accumulate(most.begin(), most.end(), 0u);
    const auto n = static_cast<unsigned>(random.below(all + 1));
    const auto each = detail::shares(most, n);
    EXPECT_EQ(std::accumulate(each.begin(), each.end(), 0u), n);
    for (std::size_t i = 0; i < most.size(); ++i) {
      EXPECT_LE(each[i], most[i]);
      EXPECT_EQ(each[i] == 0, i >= n);
    }
  }
}

using testing::comes_true;
using testing::masks_of_main_thread;
using testing::on_duty;

class concurrency_test : public testing::on_workers {};
TREADLE_ON_WORKERS(concurrency_test);

TEST_P(concurrency_test, is_bounded_by_the_workers) {
  EXPECT_EQ(rt->max_concurrency(), GetParam());
  EXPECT_EQ(rt->concurrency(), GetParam());
  EXPECT_THROW(rt->set_concurrency(GetParam() + 1), std::invalid_argument);
  EXPECT_EQ(rt->concurrency(), GetParam());
  for (unsigned n = 0; n <= GetParam(); ++n) {
    rt->set_concurrency(n);
    EXPECT_EQ(rt->concurrency(), n);
    EXPECT_TRUE(comes_true([n] { return on_duty() == n; })) << n; // those without work go at once
  }
  EXPECT_EQ(async(fib, 15).get(), 610);
}

TEST_P(concurrency_test, with_none_tasks_wait_for_more) {
  rt->set_concurrency(0);
  ASSERT_TRUE(comes_true([] { return on_duty() == 0; })); // who looks for work at the moment may still find some
  auto waiting = async(fib, 15);
  EXPECT_EQ(waiting.wait_for(20ms), future_status::timeout);
  std::thread later([this] {
    std::this_thread::sleep_for(10ms);
    rt->set_concurrency(1);
  });
  EXPECT_EQ(waiting.get(), 610);
  later.join();
}

TEST_P(concurrency_test, the_end_of_the_runtime_gives_all_back) {
  rt->set_concurrency(0);
  std::atomic<int> done{0};
  std::vector<future<void>> all;
  for (int i = 0; i < 100; ++i) all.push_back(async([&done] { ++done; }));
  rt.reset();
  EXPECT_EQ(done, 100);
  SetUp();
}

TEST_P(concurrency_test, no_more_tasks_run_at_a_time) {
  for (unsigned n = 1; n <= GetParam(); ++n) {
    rt->set_concurrency(n);
    ASSERT_TRUE(comes_true([n] { return on_duty() == n; }));
    std::atomic<unsigned> now{0}, most{0};
    for_loop(par, 0, 2000, [&](int) {
      const unsigned here = ++now;
      for (unsigned before = most; before < here && !most.compare_exchange_weak(before, here);) {
      }
      --now;
    });
    EXPECT_LE(most, n);
  }
}

TEST_P(concurrency_test, tasks_that_never_end_give_way) {
  std::atomic<bool> stop{false};
  const auto loops = [&] {
    try {
      for_loop(par, 0, 1 << 30, [&](int) {
        if (stop) throw std::runtime_error("enough");
      });
    } catch (const std::runtime_error&) {
    }
  };
  const auto forks = [&] {
    while (!stop) forked_fib(12);
  };
  const auto waits = [&] {
    while (!stop) fib(8);
  };
  const auto groups = [&] {
    task_group group;
    const auto again = [&](const auto& self) -> void {
      if (!stop) group.run([&] { self(self); });
    };
    again(again);
    group.wait();
  };
  for (const std::function<void()>& program : {std::function<void()>(loops), {forks}, {waits}, {groups}}) {
    stop = false;
    std::vector<future<void>> all;
    for (unsigned i = 0; i < 2 * GetParam(); ++i) all.push_back(async(program));
    for (const unsigned n : {1u, GetParam(), 0u, 1u}) {
      rt->set_concurrency(n);
      EXPECT_TRUE(comes_true([n] { return on_duty() == n; })) << n;
    }
    stop = true;
    for (auto& one : all) one.get();
    rt->set_concurrency(GetParam());
  }
}

TEST_P(concurrency_test, no_task_is_lost_while_it_changes) {
  constexpr int k_changes = 100'000;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> rounds{0};
  std::vector<std::thread> load;
  for (int t = 0; t < 2; ++t)
    load.emplace_back([&] {
      while (!stop) {
        EXPECT_EQ(async(fib, 10).get(), 55);
        EXPECT_EQ(async(forked_fib, 12).get(), 144);
        std::atomic<int> sum{0};
        for_loop(par, 0, 1000, [&](int) { ++sum; });
        EXPECT_EQ(sum, 1000);
        ++rounds;
      }
    });
  detail::xorshift random(GetParam());
  for (int i = 0; i < k_changes; ++i) {
    rt->set_concurrency(static_cast<unsigned>(random.below(GetParam() + 1)));
    for (auto pause = random.below(500); pause > 0; --pause) detail::cpu_relax(); // up to some 10 us
  }
  rt->set_concurrency(GetParam());
  stop = true;
  for (auto& t : load) t.join();
  EXPECT_GT(rounds, 0u);
  rt->wait_idle();
  EXPECT_TRUE(comes_true([] { return on_duty() == GetParam(); }));
}

TEST_P(concurrency_test, tasks_change_it_themselves) {
  std::vector<future<int>> all;
  for (unsigned i = 0; i < 200; ++i)
    all.push_back(async([this, i] {
      rt->set_concurrency(1 + i % GetParam());
      return fib(8);
    }));
  for (auto& one : all) EXPECT_EQ(one.get(), 21);
}

// Blocking
// --------------------------------------------------------------------------------------------------------------------

TEST_P(concurrency_test, a_region_lends_its_place) {
  rt->set_concurrency(1);
  std::mutex mutex;
  std::condition_variable changed;
  bool is_set = false;
  auto blocked = async([&] {
    const blocking_region region;
    const blocking_region inner; // counts as the same
    std::unique_lock held(mutex);
    changed.wait(held, [&] { return is_set; });
  });
  auto other = async([&] {
    const std::lock_guard guard(mutex);
    is_set = true;
    changed.notify_one();
  });
  blocked.get();
  other.get();
  EXPECT_TRUE(comes_true([] { return on_duty() == 1; }));
}

TEST_P(concurrency_test, spare_workers_are_bounded) {
  std::atomic<int> blocked{0};
  std::atomic<bool> stop{false};
  std::vector<future<void>> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(async([&] {
      const blocking_region region;
      ++blocked;
      while (!stop) std::this_thread::sleep_for(1ms);
    }));
  const int most = 64 + static_cast<int>(GetParam());
  EXPECT_TRUE(comes_true([&] { return blocked == most; })) << blocked;
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(blocked, most);
  stop = true;
  for (auto& one : all) one.get();
  EXPECT_TRUE(comes_true([] { return on_duty() == GetParam(); }));
  EXPECT_EQ(async(fib, 15).get(), 610);
}

TEST_P(concurrency_test, a_region_ends_where_its_task_is_suspended) {
  for (int i = 0; i < 100; ++i) {
    promise<int> given;
    auto waits = async([in = given.get_future()]() mutable {
      const blocking_region region;
      return in.get();
    });
    std::this_thread::yield();
    given.set_value(i);
    EXPECT_EQ(waits.get(), i);
  }
  EXPECT_TRUE(comes_true([] { return on_duty() == GetParam(); }));
}

future<int> coroutine_in_a_region(future<int> input) {
  const blocking_region region;
  co_return co_await std::move(input) + 1;
}

TEST_P(concurrency_test, a_region_ends_where_its_coroutine_is_suspended) {
  for (int i = 0; i < 200; ++i) {
    promise<int> given;
    auto waits = async([in = given.get_future()]() mutable { return coroutine_in_a_region(std::move(in)); });
    auto gives = async([&] { given.set_value(i); });
    EXPECT_EQ(future<int>(std::move(waits)).get(), i + 1);
    gives.get();
  }
  rt->set_concurrency(0);
  EXPECT_TRUE(comes_true([] { return on_duty() == 0; }));
  auto waiting = async([] { return 7; });
  EXPECT_EQ(waiting.wait_for(10ms), future_status::timeout);
  rt->set_concurrency(GetParam());
  EXPECT_EQ(waiting.get(), 7);
}

bool lends() { return detail::this_worker()->lends(); }

TEST_P(concurrency_test, no_task_runs_in_the_region_of_another) {
  async([] {
    for (const launch policy : {launch::async, launch::deferred}) {
      const blocking_region region;
      EXPECT_TRUE(lends());
      EXPECT_FALSE(async(policy, lends).get());
    }
    const blocking_region region;
    task_group group;
    for (int i = 0; i < 10; ++i) group.run([] { EXPECT_FALSE(lends()); });
    group.wait();
  }).get();
  EXPECT_TRUE(comes_true([] { return on_duty() == GetParam(); }));
}

TEST_P(concurrency_test, who_called_a_coroutine_is_not_in_its_region) {
  promise<int> given;
  auto result = async([in = given.get_future()]() mutable {
                  auto waits = coroutine_in_a_region(std::move(in));
                  EXPECT_FALSE(lends());
                  return waits;
                }).get();
  given.set_value(6);
  EXPECT_EQ(result.get(), 7);
}

TEST_P(concurrency_test, regions_while_it_changes) {
  std::atomic<bool> stop{false};
  std::thread load([&] {
    while (!stop) {
      std::vector<future<int>> all;
      for (int i = 0; i < 20; ++i)
        all.push_back(async([i] {
          const int before = fib(5);
          const blocking_region region;
          std::this_thread::sleep_for(50us);
          return before + (i % 3 == 0 ? fib(6) : 8);
        }));
      for (auto& one : all) EXPECT_EQ(one.get(), 13);
    }
  });
  detail::xorshift random(GetParam());
  for (int i = 0; i < 2000; ++i) {
    rt->set_concurrency(static_cast<unsigned>(random.below(GetParam() + 1)));
    if (i % 16 == 0) std::this_thread::sleep_for(100us);
  }
  rt->set_concurrency(GetParam());
  stop = true;
  load.join();
  EXPECT_TRUE(comes_true([] { return on_duty() == GetParam(); }));
}

TEST(blocking_region, does_nothing_outside_of_tasks) {
  const blocking_region region;
  SUCCEED();
}

// Workers' threads
// --------------------------------------------------------------------------------------------------------------------

TEST(worker_hooks, are_called_on_each_workers_thread) {
  struct record {
    std::mutex mutex;
    std::set<unsigned> started, stopped;
    std::set<std::thread::id> threads;
  } seen;
  worker_hooks hooks;
  hooks.context = &seen;
  hooks.on_start = [](void* c, unsigned worker) noexcept {
    auto& r = *static_cast<record*>(c);
    const std::lock_guard guard(r.mutex);
    r.started.insert(worker);
    r.threads.insert(std::this_thread::get_id());
  };
  hooks.on_stop = [](void* c, unsigned worker) noexcept {
    auto& r = *static_cast<record*>(c);
    const std::lock_guard guard(r.mutex);
    r.stopped.insert(worker);
    EXPECT_TRUE(r.threads.contains(std::this_thread::get_id()));
  };
  {
    runtime rt({.workers = 2, .pools = "io:1:exclusive", .hooks = hooks});
    EXPECT_EQ(async(fib, 10).get(), 55);
  }
  EXPECT_EQ(seen.started, (std::set<unsigned>{0, 1, 2}));
  EXPECT_EQ(seen.stopped, seen.started);
}

TEST(worker_hooks, create_no_tasks) {
  std::atomic<int> refused{0};
  worker_hooks hooks;
  hooks.context = &refused;
  hooks.on_start = hooks.on_stop = [](void* c, unsigned) noexcept {
    try {
      static_cast<void>(async([] {}));
    } catch (const std::system_error&) {
      ++*static_cast<std::atomic<int>*>(c);
    }
  };
  {
    const runtime rt({.workers = 2, .hooks = hooks});
  }
  EXPECT_EQ(refused, 4);
}

TEST(worker_hooks_death_test, must_not_wait_for_tasks) {
  EXPECT_DEATH(
      {
        worker_hooks hooks;
        hooks.on_start = [](void*, unsigned) noexcept { promise<void>{}.get_future().get(); };
        runtime rt({.workers = 1, .hooks = hooks});
        rt.wait_idle();
      },
      "worker_hooks must not create tasks or wait for them");
}

TEST(set_concurrency, that_leaves_a_pool_alone_without_a_worker_is_refused) {
  runtime rt({.workers = 2, .pools = "own:1:exclusive,io:1"});
  const auto message = [&](unsigned n) -> std::string {
    try {
      rt.set_concurrency(n);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message(1).find("expected 0 or 2 to 4"), std::string::npos) << message(1);
  EXPECT_EQ(rt.concurrency(), 4u);
  rt.set_concurrency(2); // one of its own, and one for the two that lend each other
  EXPECT_EQ(async(pool_executor("own"), [] { return 1; }).get(), 1);
  EXPECT_EQ(async(pool_executor("io"), [] { return 2; }).get(), 2);
  EXPECT_EQ(async([] { return async(pool_executor("io"), [] { return 3; }).get(); }).get(), 3);
  rt.set_concurrency(0);
  ASSERT_TRUE(comes_true([] { return on_duty() == 0; })); // who looks for work at the moment may still find some
  auto waits = async(pool_executor("own"), [] { return 4; });
  EXPECT_EQ(waits.wait_for(20ms), future_status::timeout);
  rt.set_concurrency(4);
  EXPECT_EQ(waits.get(), 4);
}

} // namespace
TEST(governed_runtimes, have_a_worker_each_unless_all_are_paused) {
  runtime one({.workers = 4}), other({.workers = 2});
  const auto govern = detail::g_govern.load(detail::order::relaxed);
  ASSERT_NE(govern, nullptr);
  govern(1);
  EXPECT_EQ(one.concurrency(), 1u);
  EXPECT_EQ(other.concurrency(), 1u);
  govern(5);
  EXPECT_EQ(one.concurrency() + other.concurrency(), 5u);
  one.set_concurrency(2); // what the program allows counts beside it
  EXPECT_EQ(one.concurrency(), 2u);
  {
    runtime third({.workers = 3});
    EXPECT_LE(third.concurrency(), 3u);
    govern(3);
    EXPECT_EQ(third.concurrency(), 1u);
  }
  govern(0);
  EXPECT_EQ(one.concurrency() + other.concurrency(), 0u);
  govern(detail::k_not_governed);
  EXPECT_EQ(one.concurrency(), 2u);
  EXPECT_EQ(other.concurrency(), 2u);
}

/// What the program says for all pools and for one, what an agent grants, and the mask, in random turns.
TEST(governed_runtimes, have_the_least_of_what_is_said_shared_out_over_pools) {
  const auto [whole, one] = masks_of_main_thread();
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "there is one core";
  runtime rt({.pools = "io:3"}); // those of the default pool are counted by hardware threads
  const auto govern = detail::g_govern.load(detail::order::relaxed);
  const unsigned cores = rt.max_concurrency() - 3;
  detail::xorshift random(5);
  for (int round = 0; round < 12; ++round) {
    const unsigned masked = round % 2 == 0 ? cores : 1;
    ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, masked == 1 ? &one : &whole), 0);
    for (int turn = 0; turn < 5; ++turn) {
      const unsigned said = 1 + static_cast<unsigned>(random.below(cores + 3));
      const unsigned granted = 1 + static_cast<unsigned>(random.below(cores + 3));
      const unsigned of_io = 1 + static_cast<unsigned>(random.below(3));
      rt.set_concurrency(said);
      rt.set_concurrency("io", of_io);
      govern(granted);
      const std::vector<unsigned> each =
          detail::shares(std::vector<unsigned>{cores, of_io}, std::min({said, granted, cores + of_io}));
      const unsigned expected = std::min(each[0], masked) + each[1];
      EXPECT_TRUE(comes_true([&] { // the mask is looked at twice in a second, by workers that look for work
        EXPECT_EQ(async(fib, 5).get(), 5);
        EXPECT_EQ(async(pool_executor("io"), fib, 5).get(), 5);
        return rt.concurrency() == expected;
      })) << rt.concurrency()
          << " of " << expected << ": said " << said << ", granted " << granted << ", io " << of_io << ", mask "
          << masked;
    }
  }
  govern(detail::k_not_governed);
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof whole, &whole), 0);
}

TEST(governed_runtimes, run_their_tasks_while_grants_change) {
  runtime rt({.workers = 4});
  const auto govern = detail::g_govern.load(detail::order::relaxed);
  std::atomic<bool> ends{false};
  std::thread agent([&] {
    for (unsigned n = 0; !ends; ++n) govern(n % 6 == 5 ? detail::k_not_governed : n % 5);
    govern(detail::k_not_governed);
  });
  for (int round = 0; round < 300; ++round) {
    std::vector<future<int>> all;
    for (int i = 0; i < 20; ++i) all.push_back(async([i] { return i; }));
    int sum = 0;
    for (auto& one : all) sum += one.get();
    EXPECT_EQ(sum, 190);
  }
  ends = true;
  agent.join();
}

} // namespace treadle
