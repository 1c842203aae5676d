#include "base/block_cache.hpp"
#include "base/clock.hpp"
#include "base/rng.hpp"
#include "base/sync/park.hpp"

#include <treadle/detail/fence.hpp>
#include <treadle/detail/intrusive_ptr.hpp>
#include <treadle/detail/slab.hpp>
#include <treadle/detail/spinlock.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace treadle::detail {
namespace {

/// Memory that is taken and given back in random order is aligned and holds what was written into it.
template <class Bytes>
void take_and_give_back(void* (*allocate)(std::size_t), void (*release)(void*, std::size_t) noexcept, int steps,
                        Bytes bytes_of) {
  std::vector<std::pair<char*, std::size_t>> live;
  std::mt19937 random(1);
  for (int step = 0; step < steps; ++step) {
    if (live.empty() || random() % 3 != 0) {
      const std::size_t bytes = bytes_of(random);
      char* p = static_cast<char*>(allocate(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 16, 0u);
      std::memset(p, static_cast<int>(bytes % 251), bytes);
      live.emplace_back(p, bytes);
    } else {
      std::swap(live[random() % live.size()], live.back());
      auto [p, bytes] = live.back();
      live.pop_back();
      EXPECT_TRUE(std::all_of(p, p + bytes, [b = bytes](char c) { return c == static_cast<char>(b % 251); }));
      release(p, bytes);
    }
  }
  for (auto [p, bytes] : live) release(p, bytes);
}

TEST(slab_test, objects_do_not_overlap_and_are_aligned) {
  take_and_give_back(slab_allocate, slab_free, 20'000, [](auto& random) { return 1 + random() % 700; });
}

TEST(slab_test, memory_travels_between_threads) {
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> objects(2000);
    std::thread([&] { std::generate(objects.begin(), objects.end(), [] { return slab_allocate(100); }); }).join();
    EXPECT_EQ(std::set<void*>(objects.begin(), objects.end()).size(), objects.size());
    std::thread([&] {
      for (void* p : objects) slab_free(p, 100);
    }).join();
  }
}

TEST(slab_test, sizes_at_the_ends_of_classes) {
  for (const std::size_t bytes : {0u, 1u, 32u, 33u, 512u, 513u}) {
    void* const memory = slab_allocate(bytes);
    ASSERT_NE(memory, nullptr);
    std::memset(memory, 1, bytes);
    slab_free(memory, bytes);
  }
}

TEST(slab_test, a_thread_that_ends_may_still_allocate_and_free) {
  struct late {
    std::vector<void*> objects;
    ~late() {
      for (int i = 0; i < 200; ++i) objects.push_back(slab_allocate(100));
      EXPECT_EQ(std::set<void*>(objects.begin(), objects.end()).size(), objects.size());
      for (void* p : objects) slab_free(p, 100);
    }
  };
  std::thread([] {
    thread_local late last; // destroyed after what the slab has made later
    for (int i = 0; i < 200; ++i) last.objects.push_back(slab_allocate(100));
  }).join();
}

TEST(atomic_test, a_counter_with_one_writer_adds_what_it_is_told) {
  volatile std::uint64_t changing = 0x1'2345'6789;
  atomic<std::uint64_t> wide{5};
  wide.increment_unshared();
  wide.increment_unshared(changing);
  wide.increment_unshared(0xffff'ffffu); // no immediate operand
  wide.increment_unshared(~std::uint64_t{0});
  EXPECT_EQ(wide.load(order::relaxed), 5 + 0x1'2345'6789 + 0xffff'ffffu);
  atomic<std::uint32_t> narrow{0xffff'fffeu};
  narrow.increment_unshared(3);
  EXPECT_EQ(narrow.load(order::relaxed), 1u);
  atomic<double> real{1.5};
  real.increment_unshared(0.25);
  EXPECT_EQ(real.load(order::relaxed), 1.75);
}

#if !defined(TREADLE_ASAN) && !defined(TREADLE_TSAN)
TEST(slab_test, freed_memory_is_used_again) {
  void* first = slab_allocate(64);
  slab_free(first, 64);
  EXPECT_EQ(slab_allocate(64), first);
  slab_free(first, 64);
}
#endif

TEST(block_cache_test, blocks_do_not_overlap_and_are_aligned) {
  take_and_give_back(block_allocate, block_free, 300, [](auto& random) {
    return k_least_block_bytes + random() % (random() % 20 == 0 ? 8'000'000 : 100'000); // some with huge pages
  });
}

#if !defined(TREADLE_ASAN) && !defined(TREADLE_TSAN)
TEST(block_cache_test, keeps_what_was_freed_last) {
  std::thread([] {
    constexpr std::size_t k_bytes = 1'000'000;
    void* first = block_allocate(k_bytes);
    block_free(first, k_bytes);
    EXPECT_EQ(kept_block_bytes(), k_bytes);
    void* larger = block_allocate(2 * k_bytes);
    EXPECT_NE(larger, first);
    void* again = block_allocate(k_bytes);
    EXPECT_EQ(again, first);
    EXPECT_EQ(kept_block_bytes(), 0u);
    block_free(larger, 2 * k_bytes);
    block_free(again, k_bytes);
    std::vector<void*> many(100);
    for (void*& p : many) p = block_allocate(k_bytes);
    for (void* p : many) block_free(p, k_bytes);
    EXPECT_GT(kept_block_bytes(), 8u << 20);
    EXPECT_LE(kept_block_bytes(), 32u << 20);
    const auto kept = kept_block_bytes();
    block_free(block_allocate(100u << 20), 100u << 20); // would leave no room for others
    EXPECT_EQ(kept_block_bytes(), kept);
  }).join();
}
#endif

TEST(block_cache_test, a_thread_that_ends_may_still_free) {
  struct late {
    void* memory = nullptr;
    ~late() { block_free(memory, 100'000); }
  };
  std::thread([] {
    thread_local late last; // destroyed after what the cache has made later
    last.memory = block_allocate(100'000);
    block_free(block_allocate(200'000), 200'000);
  }).join();
}

TEST(spinlock_test, excludes) {
  spinlock lock;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        scoped_lock guard(lock);
        ++counter;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(counter, 80'000);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
}

TEST(park_test, a_sleeper_is_woken_and_a_timeout_returns) {
  atomic<std::uint32_t> word{0};
  futex_wait(word, 1); // another value: returns at once
  futex_wait(word, 0, 1000);
  std::thread sleeper([&] {
    while (word.load(order::acquire) == 0) futex_wait(word, 0);
  });
  word.store(1, order::release);
  futex_wake(word);
  sleeper.join();
}

// Store-load on two words, one side with the light fence: both reading zero would be a lost wake-up.
TEST(fence_test, at_least_one_side_sees_the_other) {
  init_asymmetric_fence();
  for (int round = 0; round < 2000; ++round) {
    atomic<int> x{0}, y{0}, start{0};
    int seen_x = 0, seen_y = 0;
    std::thread light([&] {
      while (start.load(order::acquire) == 0) cpu_relax();
      x.store(1, order::relaxed);
      light_fence();
      seen_y = y.load(order::relaxed);
    });
    start.store(1, order::release);
    y.store(1, order::relaxed);
    heavy_fence();
    seen_x = x.load(order::relaxed);
    light.join();
    ASSERT_TRUE(seen_x == 1 || seen_y == 1);
  }
}

TEST(clock_test, ticks_convert_to_the_interval_that_the_clock_shows) {
  // Each tick count is read between two looks at the clock, so the bounds hold however the thread is interrupted.
  const std::int64_t before_start = steady_now_ns();
  const std::int64_t start = ticks_now();
  const std::int64_t after_start = steady_now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::int64_t before_end = steady_now_ns();
  const std::int64_t end = ticks_now();
  const std::int64_t after_end = steady_now_ns();
  const double measured = static_cast<double>(ticks_to_ns(end - start));
  EXPECT_GE(measured, 0.98 * static_cast<double>(before_end - after_start));
  EXPECT_LE(measured, 1.02 * static_cast<double>(after_end - before_start));
  EXPECT_NEAR(static_cast<double>(ticks_to_ns(ns_to_ticks(1'000'000))), 1e6, 10);
}

TEST(rng_test, stays_below_its_bound_and_hits_everything) {
  xorshift random(3);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t n = random.below(7);
    ASSERT_LT(n, 7u);
    seen.insert(n);
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST(intrusive_ptr_test, counts) {
  struct counted {
    int refs = 1;
    void add_ref() { ++refs; }
    void release() { --refs; }
  } object;
  {
    auto a = intrusive_ptr<counted>::adopt(&object);
    auto b = a;
    EXPECT_EQ(object.refs, 2);
    auto c = std::move(b);
    EXPECT_FALSE(b);
    EXPECT_EQ(object.refs, 2);
    c = nullptr;
    EXPECT_EQ(object.refs, 1);
    auto d = intrusive_ptr<counted>::share(a.get());
    EXPECT_EQ(d.detach(), &object);
  }
  EXPECT_EQ(object.refs, 1);
}

} // namespace
} // namespace treadle::detail
