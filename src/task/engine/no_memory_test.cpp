// What happens when there is no memory, and what needs none.

// The operators below cannot replace some of those in LLVM's thread sanitizer; GCC's build has the tests.
#include <treadle/detail/config.hpp>
#if !defined(__clang__) || !defined(TREADLE_TSAN)

#include "task/engine/runtime_fixture.hpp"
#include "task/engine/scheduler.hpp"
#include "task/priority/task_paths.hpp"
#include "task/timing.hpp"

#include <treadle/coroutine.hpp>
#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace {
std::atomic<bool> g_no_arrays{false}, g_nothing{false};
std::atomic<int> g_refused{0};       // arrays
thread_local long t_allocations = 0; // workers that begin allocate, too
} // namespace

// The buffers of the deques are the arrays that the library allocates.
void* operator new[](std::size_t bytes) {
  if (g_no_arrays) {
    ++g_refused;
    throw std::bad_alloc();
  }
  return ::operator new(bytes);
}
void operator delete[](void* memory) noexcept { ::operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { ::operator delete(memory); }

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++t_allocations;
  if (void* memory = g_nothing ? nullptr : std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return g_nothing ? nullptr : std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace treadle {
namespace {

class no_memory_test : public testing::on_workers {
 protected:
  void TearDown() override {
    g_no_arrays = false;
    on_workers::TearDown();
  }
};
TREADLE_ON_WORKERS(no_memory_test);

TEST_P(no_memory_test, more_tasks_than_the_queue_holds) {
  async([] {
    g_no_arrays = true;
    std::atomic<int> ran{0};
    task_group group;
    for (int i = 0; i < 10'000; ++i) group.run([&] { ++ran; });
    std::vector<future<void>> all;
    for (int i = 0; i < 10'000; ++i) all.push_back(async([&] { ++ran; }));
    for (auto& f : all) f.get();
    group.wait();
    EXPECT_EQ(ran, 20'000);
  }).get();
}

/// Where the longest path goes first these are in a queue of their own once they are known to be short.
TEST_P(no_memory_test, more_short_tasks_than_the_queue_holds) {
  rt.reset();
  detail::short_task_ns.store(1'000'000'000, detail::order::relaxed); // however slow this is
  rt = std::make_unique<runtime>(runtime_options{.workers = GetParam(), .pools = "default:policy=critical-path"});
  detail::short_task_ns.store(detail::timing::k_short_task, detail::order::relaxed);
  async([] {
    std::atomic<int> ran{0};
    const auto round = [&ran](int n) {
      async([&ran, n] {
        std::vector<future<void>> all;
        for (int i = 0; i < n; ++i) all.push_back(async([&] { ++ran; }));
        for (auto& f : all) f.get();
      }).get();
    };
    int made = 0;
    const int refused = g_refused;
    for (int i = 0; i < 100 && g_refused == refused; ++i) { // until they were known to be short
      g_no_arrays = false;
      for (int k = 0; k < 300; ++k) round(2);
      g_no_arrays = true;
      round(2000);
      made += 2600;
    }
    EXPECT_GT(g_refused, refused);
    EXPECT_EQ(ran, made);
  }).get();
}

TEST_P(no_memory_test, more_waiting_tasks_than_the_queue_holds) {
  std::atomic<int> ran{0};
  async([&] {
    promise<void> gate;
    const shared_future<void> opened = gate.get_future().share();
    std::vector<future<void>> all;
    for (int i = 0; i < 1000; ++i) {
      all.push_back(async(launch::fork, [&ran, opened] {
        opened.wait();
        ++ran;
      }));
    }
    g_no_arrays = true;
    gate.set_value();
    for (auto& f : all) f.get();
  }).get();
  EXPECT_EQ(ran, 1000);
}

// With one worker it is known which stacks there are.
class one_worker_test : public ::testing::Test {
 protected:
  void TearDown() override { g_nothing = false; }
  runtime rt{{.workers = 1}};
};

/// Looks like a std::stop_token; a source of those would need memory, and somebody else to ask for the stop.
struct stop_after_50us {
  bool stop_requested() const noexcept { return false; }
  bool stop_possible() const noexcept { return true; }
};

} // namespace

namespace detail {

template <>
class token_signal<stop_after_50us> final : public stop_signal, timer {
 public:
  explicit token_signal(const stop_after_50us&) noexcept {}
  bool is_requested() const noexcept override { return false; }
  void call(void (*end)(void*) noexcept, void* argument) noexcept override {
    m_end = end;
    m_argument = argument;
    this_worker()->owner().arm(*this, deadline_in_ns(50'000));
  }
  void cancel() noexcept override { this_worker()->owner().timers.cancel(*this); }

 private:
  void expire() noexcept override { m_end(m_argument); }

  void (*m_end)(void*) noexcept = nullptr;
  void* m_argument = nullptr;
};

} // namespace detail

namespace {

TEST_F(one_worker_test, waits_with_a_limit_need_no_memory) {
  using namespace std::chrono_literals;
  async([] {
    mutex guard, held;
    held.lock();
    condition_variable changed;
    counting_semaphore<> none(0);
    latch closed(1);
    promise<int> open;
    const shared_future<int> never = open.get_future().share();
    for (int round = 0; round < 2; ++round) {
      this_task::sleep_for(50us);
      std::unique_lock lock(guard);
      EXPECT_EQ(changed.wait_for(lock, 50us), cv_status::timeout);
      EXPECT_FALSE(none.try_acquire_for(50us));
      EXPECT_EQ(never.wait_for(50us), future_status::timeout);
      const stop_after_50us stop;
      EXPECT_FALSE(never.wait(stop));
      EXPECT_FALSE(none.acquire(stop));
      EXPECT_FALSE(held.lock(stop));
      EXPECT_FALSE(closed.wait(stop));
      g_nothing = true; // the second time everything that is kept is there
    }
    g_nothing = false;
  }).get();
}

TEST_F(one_worker_test, a_wait_that_cannot_begin_leaves_the_lock_with_the_caller) {
  mutex guard;
  const auto contends = [&] {
    condition_variable changed;
    std::unique_lock lock(guard);
    g_nothing = true;
    EXPECT_THROW(changed.wait(lock), std::bad_alloc); // there is no second stack
    g_nothing = false;
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(guard.try_lock());
  };
  async(contends).get();
  EXPECT_TRUE(guard.try_lock());
  guard.unlock();
}

TEST_F(one_worker_test, who_cannot_block_has_done_nothing) {
  latch two(2);
  mutex held;
  counting_semaphore<> none(0);
  channel<int> full(1);
  barrier meeting(2);
  full.set(1);
  held.lock();
  async([&] {
    g_nothing = true;
    EXPECT_THROW(two.arrive_and_wait(), std::bad_alloc);
    EXPECT_THROW(held.lock(), std::bad_alloc);
    EXPECT_THROW(none.acquire(), std::bad_alloc);
    EXPECT_THROW(meeting.arrive_and_wait(), std::bad_alloc);
    EXPECT_THROW(full.set(2), std::bad_alloc);
    g_nothing = false;
  }).get();
  held.unlock();
  EXPECT_TRUE(held.try_lock());
  held.unlock();
  two.count_down();
  EXPECT_FALSE(two.try_wait());
  none.release();
  EXPECT_TRUE(none.try_acquire());
  EXPECT_EQ(full.get(launch::sync), 1); // wakes nobody who is not there
  full.set(3);
  EXPECT_EQ(full.get(launch::sync), 3);
}

future<int> adds_one(future<int> input) { co_return co_await std::move(input) + 1; }

TEST_F(one_worker_test, a_coroutine_goes_on_without_memory) {
  EXPECT_EQ(async([] {
              promise<int> first, second;
              auto warm = adds_one(first.get_future()), result = adds_one(second.get_future());
              first.set_value(1);
              warm.wait();
              g_nothing = true;
              second.set_value(2);
              result.wait();
              g_nothing = false;
              return result.get();
            }).get(),
            3);
}

TEST_F(one_worker_test, a_node_over_many_inputs_allocates_its_hooks_once) {
  std::vector<promise<int>> promises(1000);
  std::vector<future<int>> inputs;
  for (auto& p : promises) inputs.push_back(p.get_future());
  const long before = t_allocations;
  auto sum = dataflow(launch::sync, [](std::vector<future<int>> all) { return all.size(); }, std::move(inputs));
  EXPECT_LE(t_allocations - before, 2); // and, under sanitizers, the node
  for (auto& p : promises) p.set_value(0);
  EXPECT_EQ(sum.get(), 1000u);
}

} // namespace
} // namespace treadle

#endif
