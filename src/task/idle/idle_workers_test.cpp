#include "task/idle/idle_workers.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace treadle::detail {
namespace {

/// Nothing keeps its workers awake.
struct nothing_to_do {
  bool must_stay_awake(unsigned) const noexcept { return false; }
  bool lacks_watch() const noexcept { return false; }
  void check_drained() const noexcept {}
  std::int64_t next_deadline_ns() const noexcept { return k_never_ns; }
};

constexpr unsigned k_workers = 70; // more than a word of bits has

std::span<const unsigned> nearest_of_caller(const idle_workers&) noexcept {
  static constexpr unsigned order[] = {66, 2, 65, 0};
  return order;
}
std::vector<unsigned>& woken() {
  static std::vector<unsigned> in_turn;
  return in_turn;
}
void note_and_wake(const idle_workers&, unsigned worker, atomic<std::uint32_t>& word) noexcept {
  woken().push_back(worker);
  futex_wake(word);
}

/// Those that are near the caller in their order, then the others; each that sleeps, once.
TEST(idle_workers, wakes_the_nearest_first) {
  woken().clear();
  idle_workers all(k_workers, {.nearest = nearest_of_caller, .wake = note_and_wake});
  std::vector<std::thread> sleeping;
  for (const unsigned worker : {1u, 2u, 65u, 66u, 69u}) { // 0 is awake
    sleeping.emplace_back([&all, worker] {
      nothing_to_do runtime;
      all.begin_search();
      EXPECT_TRUE(all.sleep(worker, k_forever_ns, runtime));
      all.end_search();
    });
  }
  while (all.count().load(order::acquire) != sleeping.size()) std::this_thread::yield(); // parked, nobody searches
  for (std::size_t i = 0; i < sleeping.size(); ++i) EXPECT_TRUE(all.wake_one());
  EXPECT_FALSE(all.wake_one());
  for (std::thread& one : sleeping) one.join();
  EXPECT_EQ(woken(), (std::vector<unsigned>{66, 2, 65, 1, 69}));
}

} // namespace
} // namespace treadle::detail
