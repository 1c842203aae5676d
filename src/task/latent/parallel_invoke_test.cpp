#include "task/engine/runtime_fixture.hpp"

#include <treadle/treadle.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

namespace treadle {
namespace {

class parallel_invoke_test : public testing::on_workers {};
TREADLE_ON_WORKERS(parallel_invoke_test);

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST_P(parallel_invoke_test, recursive_from_a_task_and_from_a_foreign_thread) {
  EXPECT_EQ(async(fib, 20).get(), 6765);
  EXPECT_EQ(fib(16), 987);
}

TEST_P(parallel_invoke_test, two_to_many_functions) {
  async([] {
    int r[5] = {};
    parallel_invoke([&] { r[0] = 1; }, [&] { r[1] = 2; }, [&] { r[2] = 3; }, [&] { r[3] = 4; }, [&] { r[4] = 5; });
    EXPECT_EQ(r[0] + r[1] + r[2] + r[3] + r[4], 15);
  }).get();
}

TEST_P(parallel_invoke_test, two_results_come_back_as_a_pair) {
  const auto body = [] {
    for (int i = 0; i < 200; ++i) {
      auto [text, number] = parallel_invoke([i] { return std::string(static_cast<std::size_t>(i), 'x'); },
                                            [i] { return std::make_unique<int>(i); });
      EXPECT_EQ(text.size(), static_cast<std::size_t>(i));
      EXPECT_EQ(*number, i);
    }
  };
  async(body).get();
  body();
  static_assert(std::is_void_v<decltype(parallel_invoke([] { return 1; }, [] {}))>);
}

TEST_P(parallel_invoke_test, results_of_a_half_that_another_worker_took) {
  if (GetParam() == 1) return; // nobody could take it
  async([] {
    for (int i = 0; i < 100; ++i) {
      latch both(2); // neither half returns before the other has started
      const auto [one, two] = parallel_invoke([&] { return both.arrive_and_wait(), std::string("one"); },
                                              [&] { return both.arrive_and_wait(), std::string("two"); });
      EXPECT_EQ(one + two, "onetwo");
    }
  }).get();
}

TEST_P(parallel_invoke_test, a_result_is_destroyed_when_the_other_half_throws) {
  async([] {
    const auto held = std::make_shared<int>(0);
    for (bool first : {true, false}) {
      for (int i = 0; i < 50; ++i) {
        latch both(GetParam() == 1 ? 1 : 2);
        const auto half = [&](bool throws) {
          if (GetParam() > 1) both.arrive_and_wait();
          if (throws) throw std::runtime_error("half");
          return held;
        };
        EXPECT_THROW(parallel_invoke([&] { return half(first); }, [&] { return half(!first); }), std::runtime_error);
      }
    }
    EXPECT_EQ(held.use_count(), 1);
  }).get();
}

std::atomic<int> g_calls{0};
void call() { ++g_calls; }

TEST_P(parallel_invoke_test, plain_functions) {
  g_calls = 0;
  parallel_invoke(call, call);
  async([] { parallel_invoke(call, call, &call); }).get();
  EXPECT_EQ(g_calls, 5);
}

TEST_P(parallel_invoke_test, all_functions_run_and_the_first_exception_in_order_wins) {
  async([] {
    for (int i = 0; i < 50; ++i) {
      std::atomic<int> ran{0};
      try {
        parallel_invoke(
            [&] {
              ++ran;
              if (i % 2) throw std::runtime_error("first");
            },
            [&] {
              ++ran;
              throw std::logic_error("second");
            },
            [&] { ++ran; });
        ADD_FAILURE();
      } catch (const std::runtime_error&) {
        EXPECT_TRUE(i % 2);
      } catch (const std::logic_error&) {
        EXPECT_FALSE(i % 2);
      }
      EXPECT_EQ(ran, 3);
    }
  }).get();
}

// A fork whose first half suspends leaves the stack: its latent halves, and those of all its callers, become tasks.
long fib_with_blocking(int n) {
  if (n < 2) {
    if (n == 1) this_task::yield();
    return n;
  }
  long a = 0, b = 0;
  parallel_invoke([&] { a = fib_with_blocking(n - 1); }, [&] { b = fib_with_blocking(n - 2); });
  return a + b;
}

TEST_P(parallel_invoke_test, halves_that_suspend) { EXPECT_EQ(async(fib_with_blocking, 14).get(), 377); }

TEST_P(parallel_invoke_test, mixed_with_futures) {
  struct mixed {
    static long run(int n) {
      if (n < 2) return n;
      long b = 0;
      auto a = async(run, n - 1);
      parallel_invoke([&] { b = run(n - 2); }, [] {});
      return a.get() + b;
    }
  };
  EXPECT_EQ(async(mixed::run, 16).get(), 987);
}

TEST_P(parallel_invoke_test, deep_recursion_with_a_block_at_the_bottom) {
  struct deep {
    static int run(int depth) {
      if (depth == 0) {
        this_task::yield();
        return 0;
      }
      int a = 0, b = 0;
      parallel_invoke([&] { a = run(depth - 1); }, [&] { b = 1; });
      return a + b;
    }
  };
  EXPECT_EQ(async([] { return deep::run(200); }).get(), 200);
}

template <class Iterator>
void quick_sort(Iterator first, Iterator last) {
  if (last - first < 2) return;
  const auto pivot = *(first + (last - first) / 2);
  auto middle = std::partition(first, last, [&](const auto& v) { return v < pivot; });
  auto upper = std::partition(middle, last, [&](const auto& v) { return !(pivot < v); });
  parallel_invoke([&] { quick_sort(first, middle); }, [&] { quick_sort(upper, last); });
}

TEST_P(parallel_invoke_test, sorts) {
  std::mt19937 random(1);
  std::vector<int> v(50'000);
  for (int& x : v) x = static_cast<int>(random() % 10'000);
  async([&] { quick_sort(v.begin(), v.end()); }).get();
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
}

} // namespace
} // namespace treadle
