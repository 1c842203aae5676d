#include "task/engine/runtime_fixture.hpp"

#include <treadle/async.hpp>
#include <treadle/promise.hpp>
#include <treadle/this_task.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using namespace std::chrono_literals;
class future_test : public testing::on_workers {};
TREADLE_ON_WORKERS(future_test);

long fib(int n) {
  if (n < 2) return n;
  auto left = async(fib, n - 1);
  const long right = fib(n - 2);
  return left.get() + right;
}

TEST_P(future_test, value_reference_and_void) {
  int target = 3;
  EXPECT_EQ(async([] { return 42; }).get(), 42);
  int& reference = async([&]() -> int& { return target; }).get();
  EXPECT_EQ(&reference, &target);
  async([&] { target = 4; }).get();
  EXPECT_EQ(target, 4);
}

TEST_P(future_test, arguments_are_moved_in_and_results_moved_out) {
  auto f = async([](std::unique_ptr<int> p,
                    const std::string& s) { return std::make_unique<std::string>(s + std::to_string(*p)); },
                 std::make_unique<int>(7), std::string("x"));
  EXPECT_EQ(*f.get(), "x7");
  EXPECT_FALSE(f.valid());
}

TEST_P(future_test, values_are_aligned_as_their_type_asks) {
  struct alignas(64) line {
    char bytes[64];
  };
  struct alignas(32) large {
    char bytes[1024];
  };
  std::vector<shared_future<line>> lines;
  std::vector<shared_future<large>> larges;
  for (int i = 0; i < 8; ++i) {
    lines.push_back(async([] { return line{}; }).share());
    larges.push_back(async([] { return large{}; }).share());
  }
  for (auto& f : lines) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&f.get()) % alignof(line), 0u);
  for (auto& f : larges) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&f.get()) % alignof(large), 0u);
}

TEST_P(future_test, member_functions) {
  struct counter {
    int value = 5;
    int plus(int n) { return value + n; }
  } c;
  EXPECT_EQ(async(&counter::plus, &c, 2).get(), 7);
  EXPECT_EQ(async(&counter::plus, c, 2).get(), 7);
  EXPECT_EQ(async(&counter::plus, std::ref(c), 2).get(), 7);
  EXPECT_EQ(async(&counter::plus, std::make_shared<counter>(), 2).get(), 7);
  EXPECT_EQ(async(&counter::plus, std::make_unique<counter>(), 2).get(), 7);
  EXPECT_EQ(&async(&counter::value, std::ref(c)).get(), &c.value);
}

TEST_P(future_test, nested_tasks) { EXPECT_EQ(async(fib, 18).get(), 2584); }

TEST_P(future_test, every_policy_gives_the_result) {
  for (launch policy : {launch::async, launch::sync, launch::deferred, launch::fork, launch::adaptive}) {
    EXPECT_EQ(async(policy, [] { return 1; }).get(), 1);
    EXPECT_EQ(async([policy] { return async(policy, [] { return 2; }).get(); }).get(), 2);
  }
}

TEST_P(future_test, sync_runs_inside_the_call) {
  const auto here = std::this_thread::get_id();
  auto f = async(launch::sync, [] { return std::this_thread::get_id(); });
  EXPECT_TRUE(f.is_ready());
  EXPECT_EQ(f.get(), here);
}

TEST_P(future_test, deferred_runs_when_waited_for_and_never_otherwise) {
  bool ran = false;
  {
    auto abandoned = async(launch::deferred, [&] { ran = true; });
  }
  EXPECT_FALSE(ran);
  auto f = async(launch::deferred, [&] { ran = true; });
  EXPECT_EQ(f.wait_for(1ms), future_status::deferred);
  EXPECT_FALSE(ran);
  f.wait();
  EXPECT_TRUE(ran);
  f.get();
}

TEST_P(future_test, fork_runs_the_child_before_its_creator_goes_on) {
  async([] {
    std::vector<int> order;
    auto child = async(launch::fork, [&] { order.push_back(1); });
    child.get();
    order.push_back(2);
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
  }).get();
}

TEST_P(future_test, exceptions_travel) {
  auto f = async([]() -> int { throw std::runtime_error("from the task"); });
  f.wait();
  EXPECT_TRUE(f.has_exception());
  try {
    f.get();
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "from the task");
  }
  EXPECT_THROW(async([] { async([] { throw 1; }).get(); }).get(), int);
}

TEST_P(future_test, abandoned_futures_do_not_block_and_their_tasks_still_run) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) static_cast<void>(async([&] { ++ran; }));
  rt->wait_idle();
  EXPECT_EQ(ran, 100);
}

TEST_P(future_test, shared_future_is_read_by_many) {
  shared_future<std::string> s = async([] { return std::string("once"); }).share();
  std::vector<future<std::size_t>> readers;
  for (int i = 0; i < 20; ++i) readers.push_back(async([s] { return s.get().size(); }));
  for (auto& r : readers) EXPECT_EQ(r.get(), 4u);
  EXPECT_EQ(s.get(), "once");
}

TEST_P(future_test, then_chains_and_unwraps) {
  EXPECT_EQ(async([] { return 1; }).then([](future<int> f) { return f.get() + 1; }).get(), 2);
  EXPECT_EQ(async([] { return 1; }).then(launch::sync, [](future<int> f) { return f.get() + 2; }).get(), 3);
  EXPECT_EQ(async([] { return 1; }).then(launch::deferred, [](future<int> f) { return f.get() + 3; }).get(), 4);
  future<int> unwrapped =
      async([] { return 1; }).then([](future<int> f) { return async([v = f.get()] { return v * 10; }); });
  EXPECT_EQ(unwrapped.get(), 10);
  future<int> nested = async([] { return async([] { return 5; }); });
  EXPECT_EQ(nested.get(), 5);
}

TEST_P(future_test, then_sees_exceptions) {
  auto f = async([]() -> int { throw std::logic_error("x"); }).then([](future<int> g) {
    EXPECT_TRUE(g.has_exception());
    return g.get();
  });
  EXPECT_THROW(f.get(), std::logic_error);
}

TEST_P(future_test, long_chains_of_sync_continuations_do_not_overflow_the_stack) {
  promise<int> first;
  future<int> last = first.get_future();
  for (int i = 0; i < 100'000; ++i) last = last.then(launch::sync, [](future<int> f) { return f.get() + 1; });
  async([&] { first.set_value(0); }).get();
  EXPECT_EQ(last.get(), 100'000);
}

TEST_P(future_test, long_chains_of_waiting_tasks_do_not_overflow_the_stack) {
  auto last = async([] { return 0; }).share();
  for (int i = 0; i < 20'000; ++i) last = async([last] { return last.get() + 1; }).share();
  EXPECT_EQ(last.get(), 20'000);
}

TEST_P(future_test, long_chains_of_deferred_continuations_do_not_overflow_the_stack) {
  const auto count = [] {
    auto last = async(launch::deferred, [] { return 0; });
    for (int i = 0; i < 20'000; ++i) last = last.then(launch::deferred, [](future<int> f) { return f.get() + 1; });
    return last.get();
  };
  EXPECT_EQ(async(count).get(), 20'000);
  EXPECT_EQ(count(), 20'000);
}

future<int> asynchronous_loop(int n) {
  if (n == 0) return make_ready_future(7);
  return async([] {}).then([n](future<void>) { return asynchronous_loop(n - 1); });
}

TEST_P(future_test, results_that_are_futures_nest_to_any_depth) {
  EXPECT_EQ(async([] { return asynchronous_loop(20'000); }).get().get(), 7);
}

TEST_P(future_test, ready_and_exceptional) {
  EXPECT_TRUE(make_ready_future(3).is_ready());
  EXPECT_EQ(make_ready_future(3).get(), 3);
  make_ready_future().get();
  EXPECT_THROW(make_exceptional_future<int>(std::runtime_error("x")).get(), std::runtime_error);
  EXPECT_THROW(make_exceptional_future<void>(std::make_exception_ptr(1)).get(), int);
}

TEST_P(future_test, using_an_empty_future_is_an_error) {
  future<int> empty;
  EXPECT_FALSE(empty.valid());
  try {
    empty.get();
    FAIL();
  } catch (const future_error& e) {
    EXPECT_EQ(e.code(), future_errc::no_state);
  }
  EXPECT_THROW(static_cast<void>(empty.then([](future<int>) {})), future_error);
}

TEST_P(future_test, wait_for_times_out_and_succeeds_in_tasks_and_threads) {
  promise<int> p;
  auto f = p.get_future();
  EXPECT_EQ(f.wait_for(1ms), future_status::timeout);
  async([&] { EXPECT_EQ(f.wait_for(1ms), future_status::timeout); }).get();
  auto waiting = async([&] { return f.wait_for(1h); });
  auto setter = async([&] {
    this_task::sleep_for(2ms);
    p.set_value(1);
  });
  EXPECT_EQ(f.wait_for(1h), future_status::ready);
  EXPECT_EQ(waiting.get(), future_status::ready);
  setter.get();
  EXPECT_EQ(f.wait_until(std::chrono::steady_clock::now()), future_status::ready);
}

TEST_P(future_test, polling_and_completion_race) {
  for (int round = 0; round < 200; ++round) {
    promise<int> p;
    auto f = p.get_future().share();
    std::vector<future<void>> pollers;
    for (int i = 0; i < 4; ++i) {
      pollers.push_back(async([f, i] {
        while (f.wait_for(std::chrono::microseconds(i)) != future_status::ready) this_task::yield();
        EXPECT_EQ(f.get(), 7);
      }));
    }
    if (round % 2) this_task::yield();
    async([&] { p.set_value(7); }).get();
    for (auto& poller : pollers) poller.get();
  }
}

TEST(future_state_test, a_continuation_can_be_taken_back_until_it_is_fired) {
  struct counted final : detail::continuation {
    void fire() noexcept override { ++fired; }
    int fired = 0;
  } first, middle, last, late;
  auto* state = new detail::value_state<int>;
  state->attach(first), state->attach(middle), state->attach(last);
  EXPECT_TRUE(state->withdraw(middle));
  EXPECT_FALSE(state->withdraw(middle));
  EXPECT_TRUE(state->withdraw(last));
  state->attach(last);
  state->set_value(1);
  EXPECT_FALSE(state->withdraw(first));
  state->attach(late);
  EXPECT_EQ(first.fired + last.fired + late.fired, 3);
  EXPECT_EQ(middle.fired, 0);
  state->release();
}

TEST_P(future_test, promise_fulfils_breaks_and_refuses_misuse) {
  promise<std::string> p;
  auto f = p.get_future();
  EXPECT_THROW(static_cast<void>(p.get_future()), future_error);
  p.set_value("v");
  EXPECT_THROW(p.set_value("w"), future_error);
  EXPECT_THROW(p.set_exception(1), future_error);
  EXPECT_EQ(f.get(), "v");

  future<int> broken;
  {
    broken = promise<int>().get_future();
  }
  try {
    broken.get();
    FAIL();
  } catch (const future_error& e) {
    EXPECT_EQ(e.code(), future_errc::broken_promise);
  }
  promise<int> moved = std::move(*std::make_unique<promise<int>>());
  EXPECT_TRUE(moved.valid());
}

TEST_P(future_test, a_task_waits_for_a_promise_set_by_a_foreign_thread) {
  promise<int> p;
  auto task = async([f = p.get_future()]() mutable { return f.get(); });
  std::thread setter([&] { p.set_value(9); });
  EXPECT_EQ(task.get(), 9);
  setter.join();
}

TEST_P(future_test, packaged_task_runs_once_and_resets) {
  packaged_task<int(int)> task([](int n) { return n * 2; });
  auto f = task.get_future();
  task(4);
  EXPECT_THROW(task(5), future_error);
  EXPECT_EQ(f.get(), 8);
  task.reset();
  auto g = task.get_future();
  packaged_task<int(int)> moved(std::move(task));
  EXPECT_FALSE(task.valid());
  moved(1);
  EXPECT_EQ(g.get(), 2);
  packaged_task<void()> throwing([] { throw std::runtime_error("x"); });
  auto h = throwing.get_future();
  throwing();
  EXPECT_THROW(h.get(), std::runtime_error);
  packaged_task<void()> dropping([] { return 1; });
  dropping();
}

TEST_P(future_test, packaged_task_is_assigned_with_its_state) {
  packaged_task<int()> task([] { return 1; });
  task();
  packaged_task<int()> called(std::move(task));
  EXPECT_THROW(called(), future_error);
  task = packaged_task<int()>([] { return 2; });
  auto f = task.get_future();
  task();
  EXPECT_EQ(f.get(), 2);
  packaged_task<int()> replaced([] { return 3; });
  auto broken = replaced.get_future();
  packaged_task<int()> source([] { return 4; });
  replaced = std::move(source);
  EXPECT_FALSE(source.valid());
  EXPECT_THROW(broken.get(), future_error);
}

// A task's life as the product of how it ends and what its owner does.
TEST_P(future_test, every_ending_meets_every_use) {
  enum class ending { value, exception, broken };
  enum class use { get, wait_then_get, then, share, drop };
  for (ending e : {ending::value, ending::exception, ending::broken}) {
    for (use u : {use::get, use::wait_then_get, use::then, use::share, use::drop}) {
      for (bool before : {true, false}) {
        auto p = std::make_unique<promise<int>>();
        auto f = p->get_future();
        const auto finish = [&] {
          if (e == ending::value) p->set_value(1);
          if (e == ending::exception) p->set_exception(std::runtime_error("x"));
          p.reset();
        };
        const auto take = [&](auto&& future) {
          if (e == ending::value)
            EXPECT_EQ(future.get(), 1);
          else if (e == ending::exception)
            EXPECT_THROW(static_cast<void>(future.get()), std::runtime_error);
          else
            EXPECT_THROW(static_cast<void>(future.get()), future_error);
        };
        if (before) finish();
        auto user = async([&, f = std::move(f)]() mutable {
          switch (u) {
          case use::get:
            return take(f);
          case use::wait_then_get:
            f.wait();
            return take(f);
          case use::then:
            return take(f.then([](future<int> g) { return g.get(); }));
          case use::share:
            return take(f.share());
          case use::drop:
            f = {};
          }
        });
        if (!before) finish();
        user.get();
      }
    }
  }
}

TEST_P(future_test, wide_and_out_of_order_waiting) {
  async([] {
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<future<int>> many;
      for (int i = 0; i < 200; ++i) many.push_back(async([i] { return i; }));
      for (int i = 0; i < 200; i += 2) EXPECT_EQ(many[static_cast<std::size_t>(i)].get(), i);
      for (int i = 199; i > 0; i -= 2) EXPECT_EQ(many[static_cast<std::size_t>(i)].get(), i);
    }
  }).get();
}

TEST_P(future_test, values_that_were_got_are_not_kept_by_queues) {
  static std::atomic<int> alive{0};
  struct counted {
    counted() { ++alive; }
    counted(const counted&) { ++alive; }
    ~counted() { --alive; }
  };
  const int workers = static_cast<int>(GetParam()) + 1;
  async([workers] {
    constexpr int k_wide = 100;
    for (int round = 0; round < 50; ++round) {
      std::vector<shared_future<counted>> all;
      for (int i = 0; i < k_wide; ++i) all.push_back(async([] { return counted(); }));
      for (const auto& one : all) one.get();
      ASSERT_LE(alive, workers * k_wide); // some are in queues of those that a get() has moved from
    }
  }).get();
}

TEST_P(future_test, values_whose_destructor_suspends) {
  struct lingering {
    bool owner = true;
    lingering() = default;
    lingering(lingering&& other) noexcept : owner(std::exchange(other.owner, false)) {}
    lingering& operator=(lingering&&) = delete;
    ~lingering() {
      if (owner) this_task::yield();
    }
  };
  std::vector<future<int>> sums;
  for (int t = 0; t < 50; ++t) {
    sums.push_back(async([] {
      int sum = 0;
      for (int i = 0; i < 20; ++i) {
        auto oldest = async([] { return 1; });
        auto dropped = async([] { return lingering(); });
        auto newest = async([] { return 1; });
        dropped.wait(); // out of order: its queue entry stays behind ...
        sum += newest.get();
        dropped = {};
        sum += oldest.get(); // ... and is dropped, with the value, in here
      }
      return sum;
    }));
  }
  for (auto& sum : sums) EXPECT_EQ(sum.get(), 40);
}

TEST_P(future_test, adaptive_sites_learn_to_inline_short_tasks_and_leave_long_ones) {
  async([&] {
    const auto short_task = [] { return 1; };
    int sum = 0;
    for (int i = 0; i < 200; ++i) sum += async(launch::adaptive, short_task).get();
    EXPECT_EQ(sum, 200);
    // A sample that the system interrupted makes a task look long for a while.
    for (;;) {
      auto one = async(launch::adaptive, short_task);
      if (one.is_ready()) break; // inlined
      one.get();
    }
    // A task that suspends is never inlined: its creator might be what it waits for.
    const auto blocking = [] { this_task::yield(); };
    for (int i = 0; i < 20; ++i) async(launch::adaptive, blocking).get();
    promise<void> gate;
    auto waits = async(launch::adaptive, blocking);
    waits.get();
  }).get();
}

} // namespace
} // namespace treadle
