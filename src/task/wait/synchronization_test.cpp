#include "task/engine/runtime_fixture.hpp"

#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <thread>

namespace treadle {
namespace {

using namespace std::chrono_literals;
class synchronization_test : public testing::on_workers {};
TREADLE_ON_WORKERS(synchronization_test);

TEST_P(synchronization_test, mutex_excludes_tasks_and_threads) {
  mutex m;
  long counter = 0; // plain on purpose: only the mutex protects it
  const auto work = [&] {
    for (int i = 0; i < 300; ++i) {
      std::lock_guard guard(m);
      const long seen = counter;
      if (i % 50 == 0) this_task::yield(); // suspended, perhaps moved, while holding the lock
      counter = seen + 1;
    }
  };
  std::vector<future<void>> tasks;
  for (int t = 0; t < 8; ++t) tasks.push_back(async(work));
  std::thread foreign(work);
  for (auto& t : tasks) t.get();
  foreign.join();
  EXPECT_EQ(counter, 9 * 300);
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
}

TEST_P(synchronization_test, condition_variable_passes_a_token_around) {
  mutex m;
  condition_variable changed;
  int turn = 0;
  constexpr int k_players = 6;
  std::vector<future<void>> players;
  for (int p = 0; p < k_players; ++p) {
    players.push_back(async([&, p] {
      for (int round = 0; round < 50; ++round) {
        std::unique_lock lock(m);
        changed.wait(lock, [&] { return turn % k_players == p; });
        ++turn;
        changed.notify_all();
      }
    }));
  }
  for (auto& p : players) p.get();
  EXPECT_EQ(turn, k_players * 50);
}

TEST_P(synchronization_test, condition_variable_times_out) {
  mutex m;
  condition_variable never;
  const auto wait_briefly = [&] {
    std::unique_lock lock(m);
    EXPECT_EQ(never.wait_for(lock, 1ms), cv_status::timeout);
    EXPECT_FALSE(never.wait_for(lock, 1ms, [] { return false; }));
    EXPECT_TRUE(never.wait_for(lock, 1h, [] { return true; }));
  };
  wait_briefly();
  async(wait_briefly).get();
}

TEST_P(synchronization_test, condition_variable_survives_a_lock_that_is_not_held) {
  mutex m;
  condition_variable cv;
  std::unique_lock lock(m, std::defer_lock);
  EXPECT_THROW(cv.wait(lock), std::system_error);
  EXPECT_THROW(cv.wait_for(lock, 1ms), std::system_error);
  cv.notify_all();
}

TEST_P(synchronization_test, timed_waits_and_notifications_race) {
  mutex m;
  condition_variable cv;
  std::atomic<int> done{0};
  std::vector<future<void>> waiters;
  for (int i = 0; i < 20; ++i) {
    waiters.push_back(async([&, i] {
      for (int k = 0; k < 10; ++k) {
        std::unique_lock lock(m);
        cv.wait_for(lock, std::chrono::microseconds(50 * (i % 4)));
      }
      ++done;
    }));
  }
  auto notifier = async([&] {
    while (done < 20) {
      cv.notify_one();
      this_task::yield();
    }
  });
  for (auto& w : waiters) w.get();
  notifier.get();
}

TEST_P(synchronization_test, latch_opens_once) {
  latch gate(3);
  std::atomic<int> passed{0};
  std::vector<future<void>> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(async([&] {
      gate.wait();
      ++passed;
    }));
  }
  EXPECT_FALSE(gate.try_wait());
  gate.count_down(2);
  EXPECT_FALSE(gate.try_wait());
  async([&] { gate.arrive_and_wait(); }).get();
  for (auto& w : waiting) w.get();
  EXPECT_EQ(passed, 5);
  EXPECT_TRUE(gate.try_wait());
}

TEST_P(synchronization_test, latch_may_go_when_one_of_those_who_meet_returns) {
  std::vector<future<void>> tasks;
  for (int i = 0; i < 200; ++i) {
    auto meet = std::make_unique<latch>(2);
    tasks.push_back(async([l = meet.get()] { l->arrive_and_wait(); }));
    meet->arrive_and_wait();
  }
  wait_all(tasks);
}

TEST_P(synchronization_test, barrier_separates_phases) {
  constexpr int k_tasks = 5;
  constexpr int k_phases = 40;
  std::atomic<int> arrived{0};
  int completed = 0; // touched by the completion function only
  barrier meet(k_tasks, [&]() noexcept {
    ++completed;
    EXPECT_EQ(arrived % k_tasks, 0);
  });
  std::vector<future<void>> tasks;
  for (int t = 0; t < k_tasks; ++t) {
    tasks.push_back(async([&] {
      for (int phase = 0; phase < k_phases; ++phase) {
        ++arrived;
        meet.arrive_and_wait();
        EXPECT_GE(arrived, (phase + 1) * k_tasks);
      }
    }));
  }
  for (auto& t : tasks) t.get();
  EXPECT_EQ(completed, k_phases);
}

TEST_P(synchronization_test, barrier_drops_participants) {
  barrier meet(2);
  auto leaver = async([&] { meet.arrive_and_drop(); });
  meet.arrive_and_wait();
  leaver.get();
  meet.arrive_and_wait(); // alone now
  auto token = meet.arrive();
  meet.wait(std::move(token));
}

TEST_P(synchronization_test, semaphore_bounds_concurrency) {
  counting_semaphore<3> slots(3);
  std::atomic<int> inside{0};
  std::vector<future<void>> tasks;
  for (int t = 0; t < 30; ++t) {
    tasks.push_back(async([&] {
      slots.acquire();
      EXPECT_LE(++inside, 3);
      this_task::yield();
      --inside;
      slots.release();
    }));
  }
  for (auto& t : tasks) t.get();
  slots.acquire(), slots.acquire(), slots.acquire();
  EXPECT_FALSE(slots.try_acquire());
  EXPECT_FALSE(slots.try_acquire_for(1ms));
  async([&] { EXPECT_FALSE(slots.try_acquire_for(1ms)); }).get();
  slots.release(2);
  EXPECT_TRUE(slots.try_acquire());
  EXPECT_TRUE(slots.try_acquire_for(1h));
}

TEST_P(synchronization_test, channel_delivers_everything_in_order_per_sender) {
  for (std::size_t capacity : {0u, 1u, 7u}) {
    channel<int> numbers(capacity);
    std::vector<future<void>> senders;
    for (int s = 0; s < 4; ++s) {
      senders.push_back(async([numbers, s]() mutable {
        for (int i = 0; i < 100; ++i) numbers.set(s * 1000 + i);
      }));
    }
    auto receiver = async([numbers]() mutable {
      std::vector<int> last(4, -1);
      int count = 0;
      for (int n : numbers) {
        EXPECT_GT(n % 1000, last[static_cast<std::size_t>(n / 1000)]);
        last[static_cast<std::size_t>(n / 1000)] = n % 1000;
        ++count;
      }
      return count;
    });
    for (auto& s : senders) s.get();
    numbers.close();
    EXPECT_EQ(receiver.get(), 400);
    EXPECT_THROW(numbers.set(1), channel_closed);
    EXPECT_THROW(numbers.get(launch::sync), channel_closed);
  }
}

TEST_P(synchronization_test, closing_a_channel_releases_blocked_senders_and_receivers) {
  channel<int> full(1);
  full.set(1);
  auto sender = async([full]() mutable { full.set(2); });
  channel<int> empty;
  auto receiver = empty.get();
  EXPECT_EQ(empty.close(), 1u);
  EXPECT_THROW(receiver.get(), channel_closed);
  full.close();
  EXPECT_THROW(sender.get(), channel_closed);
  EXPECT_EQ(full.get(launch::sync), 1); // stored values are still delivered
}

TEST_P(synchronization_test, sleeping_tasks_leave_their_worker_to_others) {
  std::atomic<bool> other_ran{false};
  auto sleeper = async([&] {
    while (!other_ran) this_task::sleep_for(1ms); // for ever, if the only worker were kept
  });
  async([&] { other_ran = true; }).get();
  sleeper.get();
  this_task::sleep_for(1us);
}

TEST(sleep_death_test, the_longest_duration_is_not_over_at_once) {
  const auto sleep = [](auto duration) {
    runtime rt({.workers = 1});
    auto sleeper = async([=] { this_task::sleep_for(duration); });
    std::_Exit(sleeper.wait_for(20ms) == future_status::timeout ? 0 : 1);
  };
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(sleep(std::chrono::hours::max()), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(sleep(std::chrono::nanoseconds::max()), ::testing::ExitedWithCode(0), "");
}

TEST_P(synchronization_test, many_sleepers_wake) {
  std::vector<future<void>> sleepers;
  for (int i = 0; i < 200; ++i) {
    sleepers.push_back(async([i] { this_task::sleep_for(std::chrono::microseconds(i * 10)); }));
  }
  for (auto& s : sleepers) s.get();
}

} // namespace
} // namespace treadle
