#include "task/engine/comes_true.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/latch.hpp>
#include <treadle/parallel_invoke.hpp>
#include <treadle/promise.hpp>
#include <treadle/this_task.hpp>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace treadle {
namespace {

class for_loop_test : public testing::on_workers {};
TREADLE_ON_WORKERS(for_loop_test);

/// Runs `n` iterations and expects each exactly once.
template <class Policy>
void expect_each_once(const Policy& policy, std::uint64_t n) {
  std::vector<std::atomic<int>> hits(n);
  for_loop(policy, std::uint64_t{0}, n, [&](std::uint64_t i) { hits[i].fetch_add(1, std::memory_order_relaxed); });
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(hits[i], 1) << i << " of " << n;
}

TEST_P(for_loop_test, every_iteration_once) {
  for (std::uint64_t n : {0u, 1u, 2u, 3u, 7u, 64u, 1000u, 100'000u}) {
    for (int repeat = 0; repeat < 20; ++repeat) async([n] { expect_each_once(par, n); }).get();
  }
  expect_each_once(par, 1000); // from a foreign thread
  expect_each_once(seq, 1000);
}

TEST_P(for_loop_test, every_iteration_once_with_chunk_parameters) {
  for (std::uint64_t n : {0u, 1u, 2u, 5u, 1000u, 12'345u}) {
    for (std::uint64_t chunk : {0u, 1u, 7u, 1000u, 100'000u}) {
      async([=] {
        expect_each_once(par.with(static_chunk_size{chunk}), n);
        expect_each_once(par.with(dynamic_chunk_size{chunk}), n);
        expect_each_once(par.with(guided_chunk_size{chunk}), n);
        expect_each_once(par.with(auto_chunk_size{}).with(num_cores{2}), n);
        expect_each_once(par.with(static_chunk_size{chunk}).with(num_cores{3}), n);
      }).get();
    }
  }
}

TEST(for_loop_parts_test, a_static_loop_with_fewer_chunks_than_parts_is_spread_too) {
  runtime rt({.workers = 1}); // so that nobody is hungry
  const auto parts = [&](std::uint64_t n, std::uint64_t chunk) {
    const std::uint64_t before = rt.statistics().forks_promoted;
    expect_each_once(par.with(static_chunk_size{chunk}).with(num_cores{4}), n);
    return rt.statistics().forks_promoted - before + 1;
  };
  EXPECT_EQ(parts(1, 1), 1u);
  EXPECT_EQ(parts(3, 1), 3u);
  EXPECT_EQ(parts(9, 1), 4u);
  EXPECT_EQ(parts(8, 4), 2u);
  EXPECT_EQ(parts(9, 4), 3u);
  EXPECT_EQ(parts(16, 4), 4u);
  EXPECT_EQ(parts(100, 4), 4u);
  EXPECT_EQ(parts(3, 4), 1u);
}

TEST_P(for_loop_test, fixed_chunks_are_not_cut) {
  async([] {
    std::vector<int> part(1000, -1);
    for_loop(par.with(dynamic_chunk_size{10}), 0, 1000,
             [&](int i) { part[static_cast<std::size_t>(i)] = this_task::worker_index(); });
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(part[i], part[i / 10 * 10]) << i;
  }).get();
}

TEST_P(for_loop_test, static_parts_are_made_at_once) {
  rt.reset();
  rt = std::make_unique<runtime>(runtime_options{.workers = GetParam(), .nudge = false});
  for (int parts = 1; parts <= static_cast<int>(GetParam()); ++parts) {
    for (int n : {10 * parts, 10 * parts - 5}) {
      std::atomic<int> begun{0};
      async([&] {
        for_loop(par.with(static_chunk_size{10}), 0, n, [&](int i) {
          if (i % 10 == 0) ++begun;
          while (begun < parts) std::this_thread::yield(); // never looks at the runtime
        });
      }).get();
    }
  }
}

TEST_P(for_loop_test, chunks_as_large_as_half_of_all_numbers) {
  if (GetParam() == 1) return; // nobody would take the second
  std::atomic<int> first{0}, second{0};
  const auto policy = par.with(dynamic_chunk_size{(std::uint64_t{1} << 63) + 1});
  EXPECT_THROW(async([&] {
                 for_loop(policy, std::uint64_t{0}, UINT64_MAX, [&](std::uint64_t i) {
                   i == 0 ? ++first : ++second;
                   while (second == 0 && first < 2) std::this_thread::yield();
                   throw std::runtime_error("enough");
                 });
               }).get(),
               std::runtime_error);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

/// Iterations that take a millisecond each, or next to nothing.
class steps {
 public:
  bool expensive = false;

  void operator()(int) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(expensive ? 1 : 0);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
};

TEST_P(for_loop_test, a_loop_that_has_become_expensive_is_shared_again) {
  if (GetParam() == 1) return; // nobody would take a part
  for (const bool nudge : {true, false}) {
    rt.reset();
    rt = std::make_unique<runtime>(runtime_options{.workers = GetParam(), .nudge = nudge});
    async([&] {
      steps body;
      const auto shared_parts = [&] {
        const auto before = rt->statistics().forks_promoted;
        for_loop(par, 0, 16, body);
        return rt->statistics().forks_promoted - before;
      };
      for (int i = 0; i < 1000; ++i) shared_parts();
      std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the others sleep
      body.expensive = true;
      while (shared_parts() == 0) {
      }
    }).get();
  }
}

/// Once they are known: a measurement that something has disturbed is believed for some dozens of loops.
TEST_P(for_loop_test, small_loops_stay_on_a_foreign_thread) {
  EXPECT_TRUE(testing::comes_true([this, in_a_row = 0, created = rt->statistics().tasks_created]() mutable {
    for_loop(par, 0, 16, [](int i) { asm volatile("" : : "r"(i)); }); // others have become hungry since the last
    const auto now = rt->statistics().tasks_created;
    in_a_row = std::exchange(created, now) == now ? in_a_row + 1 : 0;
    return in_a_row == 50;
  }));
}

TEST_P(for_loop_test, what_a_blocked_iteration_leaves_behind_is_shared) {
  const auto before = rt->statistics().forks_promoted;
  async([] {
    promise<void> last_ran;
    future<void> last = last_ran.get_future();
    for_loop(par.with(dynamic_chunk_size{1}), 0, 4, [&](int i) {
      if (i == 0) last.wait();
      if (i == 3) last_ran.set_value();
    });
  }).get();
  EXPECT_GT(rt->statistics().forks_promoted, before);
}

TEST_P(for_loop_test, iterations_may_block) {
  async([] {
    std::atomic<int> done{0};
    for_loop(par, 0, 500, [&](int i) {
      if (i % 3 == 0) this_task::yield();
      if (i % 50 == 0) async([] { this_task::yield(); }).get();
      ++done;
    });
    EXPECT_EQ(done, 500);
  }).get();
}

TEST_P(for_loop_test, nested_loops_and_forks) {
  async([] {
    std::vector<std::atomic<int>> hits(100 * 100);
    for_loop(par, 0, 100, [&](int i) {
      for_loop(par, 0, 50, [&](int j) {
        parallel_invoke([&] { ++hits[static_cast<std::size_t>(i * 100 + j)]; },
                        [&] { ++hits[static_cast<std::size_t>(i * 100 + j + 50)]; });
        if (i % 10 == 0 && j == 20) this_task::yield();
      });
    });
    for (auto& h : hits) ASSERT_EQ(h, 1);
  }).get();
}

TEST_P(for_loop_test, reductions_and_inductions) {
  async([] {
    for (int n : {0, 1, 10, 10'000}) {
      long sum = 5;
      int smallest = 1000;
      long position = 10;
      std::vector<long> seen(static_cast<std::size_t>(n));
      for_loop(par, 0, n, reduction_plus(sum), reduction_min(smallest), induction(position, 3),
               [&](int i, long& s, int& m, long p) {
                 s += i;
                 m = std::min(m, 999 - i);
                 seen[static_cast<std::size_t>(i)] = p;
               });
      EXPECT_EQ(sum, 5 + static_cast<long>(n) * (n - 1) / 2);
      EXPECT_EQ(smallest, n == 0 ? 1000 : 1000 - n);
      EXPECT_EQ(position, 10 + 3L * n);
      for (int i = 0; i < n; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], 10 + 3L * i);
    }
  }).get();
}

TEST_P(for_loop_test, reductions_keep_the_order) {
  async([] {
    std::string text;
    for_loop(par, 0, 2000, reduction(text, std::string(), [](std::string a, const std::string& b) { return a += b; }),
             [](int i, std::string& part) { part += static_cast<char>('a' + i % 26); });
    ASSERT_EQ(text.size(), 2000u);
    for (std::size_t i = 0; i < text.size(); ++i) ASSERT_EQ(text[i], static_cast<char>('a' + i % 26));
  }).get();
}

TEST_P(for_loop_test, strides_and_iterators) {
  std::vector<int> seen;
  for_loop_strided(seq, 10, 0, -3, [&](int i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector<int>{10, 7, 4, 1}));
  std::vector<int> values(1001);
  for_loop_strided(par, values.begin(), values.end(), 2, [](auto it) { *it = 1; });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 501);
  std::atomic<int> count{0};
  for_loop_strided(par, 0u, 10u, 4, [&](unsigned) { ++count; });
  for_loop_strided(par, INT64_MIN, INT64_MAX, INT64_MAX, [&](std::int64_t) { ++count; });
  for_loop(par, 5, 3, [&](int) { ++count; });
  EXPECT_EQ(count, 3 + 3);
  EXPECT_THROW(for_loop_strided(par, 0, 10, 0, [](int) {}), std::invalid_argument);
}

TEST_P(for_loop_test, iterations_before_the_first_exception_are_executed) {
  async([] {
    std::vector<std::atomic<int>> hits(8);
    latch one_threw(1);
    std::atomic<bool> threw{false};
    try {
      for_loop(par.with(dynamic_chunk_size{1}), 0, 8, [&](int i) {
        ++hits[static_cast<std::size_t>(i)];
        if (i == 0) one_threw.wait(); // all later iterations are given away
        if (i < 4) return;
        if (!threw.exchange(true)) one_threw.count_down();
        throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "4");
    }
    for (std::size_t i = 0; i <= 4; ++i) EXPECT_EQ(hits[i], 1);
  }).get();
}

TEST_P(for_loop_test, the_first_exception_is_rethrown) {
  async([] {
    for (int repeat = 0; repeat < 50; ++repeat) {
      long sum = 7;
      std::atomic<int> ran{0};
      EXPECT_THROW(for_loop(par, 0, 1000, reduction_plus(sum),
                            [&](int i, long& s) {
                              ++ran;
                              s += i;
                              if (i == 400) throw std::runtime_error("400");
                            }),
                   std::runtime_error);
      EXPECT_EQ(sum, 7);
      EXPECT_GE(ran, 1);
    }
  }).get();
}

TEST_P(for_loop_test, asynchronous) {
  std::vector<int> values(10'000);
  future<void> done = for_loop(par(task), std::size_t{0}, values.size(), [&](std::size_t i) { values[i] = 1; });
  done.get();
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 10'000);
  EXPECT_THROW(for_loop(seq(task), 0, 3, [](int) { throw std::logic_error("in a task"); }).get(), std::logic_error);
}

} // namespace
} // namespace treadle
