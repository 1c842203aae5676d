#include <treadle/algorithm.hpp>
#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>
#include <treadle/tune/explain.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace treadle;

TEST(adaptive_chunks, every_iteration_runs_once_however_often) {
  runtime rt({.workers = 4});
  std::vector<std::atomic<int>> hits(3000);
  for (int round = 1; round <= 200; ++round) {
    for_loop(par.with(adaptive_chunk_size{}), 0, 3000, [&](int i) { ++hits[static_cast<std::size_t>(i)]; });
    for (const auto& h : hits) ASSERT_EQ(h, round);
  }
}

TEST(adaptive_chunks, sizes_may_change_and_be_tiny) {
  runtime rt({.workers = 2});
  for (int n : {0, 1, 2, 100'000, 3, 1000, 0, 7}) {
    std::atomic<int> hits{0};
    for_loop(par.with(adaptive_chunk_size{}), 0, n, [&](int) { ++hits; });
    EXPECT_EQ(hits, n);
  }
}

TEST(adaptive_chunks, a_longer_loop_than_ever_has_greater_chunks) {
  runtime rt({.workers = 2});
  static detail::loop_site site; // of its own; for ever, as those that a loop in the source has
  bool measured = false;
  EXPECT_EQ(detail::adaptive_chunks.begin(site, 1, measured), 1u);
  detail::adaptive_chunks.done(site, 1);
  for (int i = 0, windows = 0; i < 5000 && windows < 50; ++i) {
    measured = false;
    const auto chunk = detail::adaptive_chunks.begin(site, 1'000'000, measured);
    EXPECT_GE(chunk, 1u);
    std::this_thread::sleep_for(std::chrono::milliseconds(21)); // a window, as if it were all the same
    if (!measured) continue; // deciding has taken more than its share so far: this thread was preempted meanwhile
    ++windows;
    detail::adaptive_chunks.done(site, 1'000'000);
    if (chunk > 1) return;
  }
  FAIL() << "always 1";
}

TEST(adaptive_chunks, one_loop_on_several_threads) {
  runtime rt({.workers = 2});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<long> sum{0};
        for_loop(par.with(adaptive_chunk_size{}), 0, 1000, [&](int i) { sum += i; });
        EXPECT_EQ(sum, 499'500);
      }
    });
  }
  for (auto& t : threads) t.join();
}

TEST(adaptive_chunks, may_be_explained_while_new_ones_begin) {
  runtime rt({.workers = 2});
  std::atomic<bool> over{false};
  std::thread asks([&] {
    while (!over) static_cast<void>(explain());
  });
  for (int n = 1; n < 1'000'000; n *= 2) {
    std::atomic<int> hits{0};
    for_loop(par.with(adaptive_chunk_size{}), 0, n, [&](int) { ++hits; });
    EXPECT_EQ(hits, n);
  }
  over = true;
  asks.join();
}

TEST(adaptive_chunks, an_exception_leaves_the_loop_usable) {
  runtime rt({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    const auto run = [&](int from) {
      std::atomic<int> hits{0};
      for_loop(par.with(adaptive_chunk_size{}), 0, 100, [&, from](int i) {
        if (i == from) throw std::runtime_error("no");
        ++hits;
      });
      return hits.load();
    };
    EXPECT_THROW(run(50), std::runtime_error);
    EXPECT_EQ(run(-1), 100);
  }
}

} // namespace
