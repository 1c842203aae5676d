// Stop tokens: tasks, loops, algorithms, waits.
#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm.hpp>
#include <treadle/stop.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using namespace std::chrono_literals;

class stop_token_test : public testing::on_workers {};
TREADLE_ON_WORKERS(stop_token_test);

/// Requests the stop while the other side, most of the time, has begun already.
struct stopping_soon {
  std::stop_source source;
  std::stop_token token = source.get_token();
  std::thread thread{[this] {
    std::this_thread::sleep_for(2ms);
    EXPECT_TRUE(source.request_stop());
    EXPECT_FALSE(source.request_stop()); // a second time
  }};
  ~stopping_soon() { thread.join(); }
};

/// Calls f(token) that is stopped soon, on this thread and inside of a task.
template <class F>
void here_and_in_a_task(F f) {
  {
    stopping_soon stop;
    f(stop.token);
  }
  stopping_soon stop;
  async([&] { f(stop.token); }).get();
}

// Tasks
// --------------------------------------------------------------------------------------------------------------------

TEST_P(stop_token_test, tasks_begin_only_before_the_stop) {
  std::stop_source source;
  EXPECT_EQ(async(source.get_token(), [](int a, int b) { return a + b; }, 3, 4).get(), 7);
  EXPECT_FALSE(async(source.get_token(), [](std::stop_token t) { return t.stop_requested(); }).get());
  source.request_stop();
  std::atomic<int> begun{0};
  auto late = async(source.get_token(), [&] { ++begun; });
  EXPECT_THROW(late.get(), stopped);
  EXPECT_EQ(begun, 0);
}

template <class... Args>
concept starts_a_task = requires(Args... args) { async(args...); };
using function = void (*)();
static_assert(starts_a_task<std::stop_token, launch, function>);
static_assert(starts_a_task<std::stop_token, parallel_executor, function>);
static_assert(!starts_a_task<launch, std::stop_token, function>, "the token comes first");
static_assert(!starts_a_task<parallel_executor, std::stop_token, function>);

TEST_P(stop_token_test, tasks_of_any_kind_begin_only_before_the_stop) {
  std::stop_source source;
  const auto token = source.get_token();
  int begun = 0;
  const auto start_all = [&](const auto& check) {
    const auto f = [&begun] { return ++begun; };
    check(async(token, launch::sync, f));
    check(async(token, launch::deferred, f));
    check(async(token, launch::adaptive, f));
    check(async(token, parallel_executor(priority::high), f));
    check(async(token, sequenced_executor(), [&begun](int by) { return begun += by; }, 1));
    check(make_ready_future(1).then(token, [&begun](future<int> one) { return begun += one.get(); }));
    check(make_ready_future(1).then(token, launch::sync, [&begun](future<int> one) { return begun += one.get(); }));
    check(make_ready_future().share().then(token, parallel_executor(), [&](const auto&) { return f(); }));
    check(dataflow(token, unwrapping([&begun](int by) { return begun += by; }), make_ready_future(1)));
    check(dataflow(token, launch::sync, [&](const auto&) { return f(); }, make_ready_future()));
    check(dataflow(token, parallel_executor(), [&](const auto&) { return f(); }, make_ready_future()));
  };
  int expected = 0;
  start_all([&](future<int> result) { EXPECT_EQ(result.get(), ++expected); });
  source.request_stop();
  start_all([](future<int> result) { EXPECT_THROW(result.get(), stopped); });
  EXPECT_EQ(begun, expected);
}

TEST_P(stop_token_test, a_continuation_is_dropped_when_its_input_is_ready) {
  std::stop_source source;
  promise<int> given;
  auto result = given.get_future().then(source.get_token(), [](future<int> input) { return input.get(); });
  source.request_stop();
  EXPECT_FALSE(result.is_ready());
  given.set_value(1);
  EXPECT_THROW(result.get(), stopped);
}

TEST_P(stop_token_test, groups_drop_what_has_not_begun) {
  std::stop_source source;
  task_group group(source.get_token());
  source.request_stop();
  std::atomic<int> begun{0};
  for (int i = 0; i < 100; ++i) group.run([&] { ++begun; });
  group.wait();
  EXPECT_EQ(begun, 0);
}

// Loops and algorithms
// --------------------------------------------------------------------------------------------------------------------

TEST_P(stop_token_test, loops_end_early) {
  for (const auto& policy : {par, par.with(dynamic_chunk_size{16}), par.with(static_chunk_size{}),
                             par.with(guided_chunk_size{4}), par.with(adaptive_chunk_size{})}) {
    here_and_in_a_task([&](const std::stop_token& token) {
      std::atomic<std::uint64_t> done{0};
      constexpr std::uint64_t k_for_years = std::uint64_t{1} << 60;
      EXPECT_THROW(for_loop(policy.with(token), std::uint64_t{0}, k_for_years, [&](std::uint64_t) { ++done; }),
                   stopped);
    });
  }
}

TEST_P(stop_token_test, loops_in_order_end_early_too) {
  here_and_in_a_task([](const std::stop_token& token) {
    std::uint64_t next = 0;
    constexpr std::uint64_t k_for_years = std::uint64_t{1} << 60;
    EXPECT_THROW(for_loop(seq.with(token), std::uint64_t{0}, k_for_years,
                          [&](std::uint64_t i) {
                            EXPECT_EQ(i, next);
                            ++next;
                          }),
                 stopped);
  });
  std::stop_source never;
  std::vector<int> numbers(1000, 1);
  EXPECT_EQ(treadle::reduce(seq.with(never.get_token()), numbers.begin(), numbers.end()), 1000);
  EXPECT_EQ(treadle::find(seq.with(never.get_token()), numbers.begin(), numbers.end(), 2), numbers.end());
}

TEST_P(stop_token_test, a_loop_that_is_stopped_before_does_nothing) {
  std::stop_source source;
  source.request_stop();
  std::atomic<int> done{0};
  EXPECT_THROW(for_loop(par.with(source.get_token()), 0, 3, [&](int) { ++done; }), stopped);
  auto later = for_loop(par(task).with(source.get_token()), 0, 3, [&](int) { ++done; });
  EXPECT_THROW(later.get(), stopped);
  std::vector<int> numbers(1000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  EXPECT_THROW(treadle::sort(par.with(source.get_token()), numbers.begin(), numbers.end()), stopped);
  EXPECT_THROW(treadle::sort(seq.with(source.get_token()), numbers.begin(), numbers.end()), stopped);
  EXPECT_EQ(numbers.front(), 999);
  EXPECT_THROW(treadle::reduce(par.with(source.get_token()), numbers.begin(), numbers.end()), stopped);
  EXPECT_EQ(done, 0);
}

TEST_P(stop_token_test, one_that_is_not_stopped_is_as_without) {
  std::stop_source source;
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto policy = par.with(source.get_token());
  EXPECT_EQ(treadle::reduce(policy, numbers.begin(), numbers.end(), 0LL), 4'999'950'000);
  EXPECT_EQ(treadle::reduce(policy(task), numbers.begin(), numbers.end(), 0LL).get(), 4'999'950'000);
  std::atomic<int> done{0};
  for_loop(policy, 0, 1000, [&](int) { ++done; });
  EXPECT_EQ(done, 1000);
  EXPECT_THROW(for_loop(policy, 0, 1000,
                        [&](int i) {
                          if (i == 500) throw std::out_of_range("500");
                        }),
               std::out_of_range);
}

TEST_P(stop_token_test, the_body_may_request_it) {
  std::stop_source source;
  EXPECT_THROW(for_loop(par.with(source.get_token()), 0, 1'000'000,
                        [&](int i) {
                          if (i == 10) source.request_stop();
                        }),
               stopped);
}

TEST_P(stop_token_test, also_inside_a_catch_block) {
  here_and_in_a_task([&](const std::stop_token& token) {
    promise<int> never;
    auto waits = never.get_future();
    try {
      throw std::runtime_error("first");
    } catch (const std::runtime_error& e) {
      EXPECT_THROW(waits.get(token), stopped);
      EXPECT_EQ(std::string(e.what()), "first");
      EXPECT_NE(std::current_exception(), nullptr);
    }
  });
}

// Waits
// --------------------------------------------------------------------------------------------------------------------

TEST_P(stop_token_test, futures) {
  here_and_in_a_task([](const std::stop_token& token) {
    promise<int> later;
    auto waits = later.get_future();
    EXPECT_FALSE(waits.wait(token));
    EXPECT_THROW(waits.get(token), stopped);
    EXPECT_EQ(waits.wait_for(1h, token), future_status::timeout);
    EXPECT_EQ(waits.wait_for(1us, std::stop_token()), future_status::timeout);
    later.set_value(7);
    EXPECT_EQ(waits.wait_until(std::chrono::steady_clock::now(), token), future_status::ready);
    EXPECT_TRUE(waits.wait(token)); // ready comes first
    EXPECT_EQ(waits.get(token), 7);
    auto shared = make_ready_future(8).share();
    EXPECT_EQ(shared.get(token), 8);
  });
}

TEST_P(stop_token_test, locks_and_semaphores) {
  here_and_in_a_task([](const std::stop_token& token) {
    treadle::mutex m;
    m.lock();
    EXPECT_FALSE(m.lock(token));
    m.unlock();
    EXPECT_TRUE(m.lock(token));
    m.unlock();
    counting_semaphore<> s(0);
    EXPECT_FALSE(s.acquire(token));
    s.release();
    EXPECT_TRUE(s.acquire(token));
    EXPECT_FALSE(s.try_acquire_for(1h, token));
    EXPECT_FALSE(s.try_acquire_for(1us, std::stop_token()));
    s.release();
    EXPECT_TRUE(s.try_acquire_until(std::chrono::steady_clock::now() + 1h, token));
  });
}

TEST_P(stop_token_test, latches_and_barriers) {
  here_and_in_a_task([](const std::stop_token& token) {
    latch l(1);
    EXPECT_FALSE(l.wait(token));
    l.count_down();
    EXPECT_TRUE(l.wait(token));
    barrier b(2);
    EXPECT_FALSE(b.wait(b.arrive(), token));
    auto second = b.arrive();
    EXPECT_TRUE(b.wait(std::move(second), token)); // the first arrival has counted
    latch two(2);
    EXPECT_FALSE(two.arrive_and_wait(token)); // and has arrived
    EXPECT_TRUE(two.arrive_and_wait(1, token));
    EXPECT_FALSE(b.arrive_and_wait(token));
    EXPECT_TRUE(b.arrive_and_wait(token));
  });
}

TEST_P(stop_token_test, groups) {
  here_and_in_a_task([](const std::stop_token& token) {
    latch begun(3), opens(1);
    std::atomic<int> done{0};
    task_group group;
    for (int i = 0; i < 3; ++i)
      group.run([&] {
        begun.count_down();
        opens.wait();
        ++done;
      });
    begun.wait(); // or wait() would run one, and that is not stopped
    EXPECT_FALSE(group.wait(token));
    opens.count_down();
    EXPECT_TRUE(group.wait(std::stop_token()));
    EXPECT_EQ(done, 3);
    EXPECT_TRUE(group.wait(token));
    group.run([] { throw std::out_of_range("thrown"); });
    EXPECT_THROW(group.wait(std::stop_token()), std::out_of_range);
  });
}

TEST_P(stop_token_test, condition_variables) {
  here_and_in_a_task([](const std::stop_token& token) {
    treadle::mutex m;
    condition_variable changed;
    std::unique_lock lock(m);
    EXPECT_FALSE(changed.wait(lock, token, [] { return false; }));
    EXPECT_TRUE(changed.wait(lock, token, [] { return true; }));
    EXPECT_FALSE(changed.wait_for(lock, std::stop_token(), 1ms, [] { return false; }));
    EXPECT_FALSE(changed.wait_until(lock, token, std::chrono::steady_clock::now() + 1h, [] { return false; }));
    EXPECT_TRUE(lock.owns_lock());
  });
}

TEST_P(stop_token_test, channels) {
  here_and_in_a_task([](const std::stop_token& token) {
    channel<int> full(1);
    EXPECT_TRUE(full.set(1, token));
    EXPECT_FALSE(full.set(2, token));
    EXPECT_EQ(full.get().get(), 1);
    EXPECT_TRUE(full.set(3, token)); // there is room
    EXPECT_EQ(full.get().get(token), 3);
    auto next = full.get();
    EXPECT_THROW(next.get(token), stopped);
    full.set(4);
    EXPECT_EQ(next.get(), 4);
    EXPECT_THROW(full.get(token), stopped);
    for (int value : full.until(token)) ADD_FAILURE() << value;
    full.set(5);
    full.set(6, token);
    EXPECT_EQ(full.get(token), 5); // what was there before
    full.close();
    EXPECT_THROW(full.get(token), channel_closed);
  });
}

TEST_P(stop_token_test, waits_with_a_limit) {
  here_and_in_a_task([](const std::stop_token& token) {
    promise<int> never;
    EXPECT_EQ(never.get_future().wait_for(1h, token), future_status::timeout);
  });
  here_and_in_a_task([](const std::stop_token& token) {
    counting_semaphore<> none(0);
    EXPECT_FALSE(none.try_acquire_for(1h, token));
  });
}

TEST_P(stop_token_test, waits_for_values) {
  here_and_in_a_task([](const std::stop_token& token) {
    channel<int> empty;
    EXPECT_THROW(empty.get(token), stopped);
    empty.set(7); // to nobody
    EXPECT_EQ(empty.get(token), 7);
  });
}

TEST_P(stop_token_test, values_until) {
  channel<int> numbers;
  std::stop_source source;
  for (int i = 1; i <= 10; ++i) numbers.set(i);
  int sum = 0;
  auto adds = async([&, token = source.get_token()] {
    for (int n : numbers.until(token)) {
      sum += n;
      if (n == 10) source.request_stop();
    }
  });
  adds.get();
  EXPECT_EQ(sum, 55);
  numbers.close();
  for (int n : numbers.until(std::stop_token())) ADD_FAILURE() << n;
}

TEST_P(stop_token_test, sleeping) {
  here_and_in_a_task([](const std::stop_token& token) {
    EXPECT_TRUE(this_task::sleep_for(10us, std::stop_token()));
    EXPECT_FALSE(this_task::sleep_for(1h, token));
    EXPECT_FALSE(this_task::sleep_until(std::chrono::steady_clock::now() + 1h, token));
  });
}

TEST_P(stop_token_test, waits_that_end_at_the_same_moment) {
  for (int i = 0; i < 300; ++i) {
    std::stop_source source;
    promise<int> given;
    counting_semaphore<> one(0);
    auto waits = async([in = given.get_future(), token = source.get_token(), &one]() mutable {
      const bool got = one.acquire(token);
      try {
        return in.get(token) + got;
      } catch (const stopped&) {
        return -1;
      }
    });
    auto stops = async([&] { source.request_stop(); });
    auto gives = async([&] {
      one.release();
      given.set_value(7);
    });
    const int result = waits.get();
    EXPECT_TRUE(result == -1 || result == 7 || result == 8) << result;
    stops.get();
    gives.get();
  }
}

TEST_P(stop_token_test, no_value_is_lost_that_comes_with_the_stop) {
  channel<int> numbers;
  for (int i = 0; i < 1000; ++i) {
    std::stop_source source;
    auto takes = async([&, token = source.get_token()]() mutable {
      try {
        return numbers.get(token);
      } catch (const stopped&) {
        return -1;
      }
    });
    auto stops = async([&] { source.request_stop(); });
    auto gives = async([&] { numbers.set(i); });
    const int taken = takes.get();
    EXPECT_EQ(taken == -1 ? numbers.get(launch::sync) : taken, i);
    stops.get();
    gives.get();
  }
}

TEST_P(stop_token_test, a_group_that_ends_with_the_stop_is_waited_for_again) {
  for (int i = 0; i < 1000; ++i) {
    std::stop_source source;
    async([&] {
      task_group group;
      std::atomic<int> done{0};
      for (int k = 0; k < 3; ++k) group.run([&] { ++done; });
      auto stops = async([&] { source.request_stop(); });
      if (!group.wait(source.get_token())) group.wait();
      EXPECT_EQ(done, 3);
      stops.get();
    }).get();
  }
}

} // namespace
} // namespace treadle
