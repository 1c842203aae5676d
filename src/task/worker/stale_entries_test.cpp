// Entries of tasks that a get() has run in place do not pile up, wherever they lie.
#include "task/engine/runtime_fixture.hpp"
#include "task/engine/scheduler.hpp"

#include <treadle/treadle.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <vector>

namespace treadle {
namespace {

constexpr std::uint64_t k_tasks = 100'000;
constexpr std::uint64_t k_few = 2'000;

using count = std::shared_ptr<std::atomic<std::uint64_t>>;

/// Counts its living copies; some of them live in entries until those are dropped, after the end of the test's task.
struct counted {
  explicit counted(const count& n) : alive(n) { ++*alive; }
  counted(const counted& other) noexcept : alive(other.alive) { ++*alive; }
  ~counted() { --*alive; }
  count alive;
};

std::uint64_t entries_of_this_worker() { return static_cast<std::uint64_t>(detail::this_worker()->tasks.size()); }
std::uint64_t injected() { return detail::this_worker()->owner().injected.size(); }

class stale_entries_test : public testing::on_workers {};
TREADLE_ON_WORKERS(stale_entries_test);

TEST_P(stale_entries_test, a_sliding_window) {
  async([] {
    std::uint64_t most = 0;
    const auto alive = std::make_shared<std::atomic<std::uint64_t>>(0);
    std::uint64_t most_alive = 0;
    std::deque<shared_future<counted>> window;
    for (std::uint64_t i = 0; i < k_tasks; ++i) {
      window.push_back(async([alive] { return counted(alive); }).share());
      if (window.size() <= 100) continue;
      window.front().wait();
      window.pop_front();
      most = std::max(most, entries_of_this_worker());
      most_alive = std::max(most_alive, alive->load());
    }
    EXPECT_LT(most, k_few);
    EXPECT_LT(most_alive, k_few);
    window.clear();
  }).get();
}

TEST_P(stale_entries_test, with_a_priority) {
  async([] {
    std::uint64_t most = 0;
    for (const priority level : {priority::low, priority::high, priority::critical}) {
      const parallel_executor executor(level);
      auto first = async(executor, [] {}); // may shield the others
      for (std::uint64_t i = 0; i < k_tasks / 4; ++i) {
        async(executor, [] {}).get();
        most = std::max(most, injected());
      }
      first.get();
    }
    EXPECT_LT(most, k_few);
  }).get();
}

TEST_P(stale_entries_test, in_a_deque_whose_owner_only_produces) {
  if (GetParam() == 1) return; // somebody else has to consume
  channel<future<int>> made(8);
  std::atomic<std::uint64_t> most{0};
  auto producer = async([&] {
    for (std::uint64_t i = 0; i < k_tasks; ++i) {
      made.set(async([i] { return static_cast<int>(i % 7); }));
      most = std::max(most.load(), entries_of_this_worker());
    }
    made.close();
  });
  std::uint64_t sum = 0;
  async([&] {
    for (auto& f : made) sum += static_cast<std::uint64_t>(f.get());
  }).get();
  producer.get();
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < k_tasks; ++i) expected += i % 7;
  EXPECT_EQ(sum, expected);
  EXPECT_LT(most, k_few);
}

TEST_P(stale_entries_test, nothing_live_is_dropped) {
  // Waits in a random order, with live tasks everywhere in between; values whose destructors block.
  struct blocks_at_the_end {
    ~blocks_at_the_end() {
      if (armed) this_task::yield();
    }
    bool armed = true;
  };
  async([] {
    std::vector<future<std::uint64_t>> open;
    std::uint64_t sum = 0, state = 88172645463325252ull;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      open.push_back(async([i, last = std::make_shared<blocks_at_the_end>()] { return i; }));
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      if (state % 3 == 0) continue;
      const std::size_t at = state / 3 % open.size();
      sum += open[at].get();
      open[at] = std::move(open.back());
      open.pop_back();
    }
    for (auto& f : open) sum += f.get();
    EXPECT_EQ(sum, 20'000ull * 19'999 / 2);
  }).get();
}

} // namespace
} // namespace treadle
