#include <treadle/algorithm/for_loop.hpp>
#include <treadle/observe/events.hpp>
#include <treadle/treadle.hpp>

#include "task/engine/comes_true.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

namespace events = treadle::events;

namespace {

class events_test : public treadle::testing::on_workers {};
TREADLE_ON_WORKERS(events_test);

/// Counts the events of a type.
template <class Event>
struct counted {
  std::atomic<int> calls{0};
  events::subscription listening = events::on<Event>([this](const Event&) { ++calls; });
};

TEST_P(events_test, each_task_is_told_of) {
  std::mutex mutex;
  std::multiset<events::task_number> created, started, finished;
  const auto note = [&](auto& set, events::task_number task) {
    std::lock_guard guard(mutex);
    set.insert(task);
  };
  {
    const auto creations = events::on<events::task_created>([&](const auto& e) { note(created, e.task); });
    const auto starts = events::on<events::task_started>([&](const auto& e) {
      EXPECT_GE(e.worker, 0);
      EXPECT_LT(e.worker, static_cast<int>(GetParam()));
      EXPECT_NE(e.name.find("each_task_is_told_of"), std::string_view::npos) << e.name;
      EXPECT_GT(e.time_ns, 0);
      note(started, e.task);
    });
    const auto ends = events::on<events::task_finished>([&](const auto& e) { note(finished, e.task); });
    for (int i = 0; i < 50; ++i) treadle::async([] { treadle::async([] {}).get(); }).get();
    rt->wait_idle();
  }
  EXPECT_EQ(created.size(), 100u);
  EXPECT_EQ(created, started);
  EXPECT_EQ(created, finished);
  treadle::async([] {}).get(); // nobody listens
  EXPECT_EQ(created.size(), 100u);
}

TEST_P(events_test, suspensions_and_promotions) {
  counted<events::task_suspended> suspended;
  counted<events::task_resumed> resumed;
  counted<events::promotion> promoted;
  treadle::async([] {
    treadle::this_task::yield();
    treadle::for_loop(treadle::par.with(treadle::static_chunk_size{1}), 0, 20,
                      [](int) { treadle::this_task::yield(); });
  }).get();
  rt->wait_idle();
  EXPECT_GT(suspended.calls, 0);
  EXPECT_EQ(suspended.calls, resumed.calls);
  EXPECT_EQ(static_cast<std::uint64_t>(promoted.calls), rt->statistics().forks_promoted);
}

TEST_P(events_test, steals_name_thief_and_victim) {
  std::atomic<int> steals{0};
  const auto listening = events::on<events::steal>([&](const events::steal& s) {
    ++steals;
    EXPECT_NE(s.worker, s.victim);
    EXPECT_LT(s.victim, static_cast<int>(GetParam()));
  });
  for (int i = 0; i < 20; ++i) {
    treadle::async([] {
      treadle::for_loop(treadle::par.with(treadle::static_chunk_size{1}), 0, 20,
                        [](int) { treadle::this_task::yield(); });
    }).get();
  }
  rt->wait_idle();
  // A worker may still steal, and then drop, what was handed on and is done already.
  EXPECT_TRUE(treadle::testing::comes_true(
      [&] { return static_cast<std::uint64_t>(steals) == rt->statistics().tasks_stolen; }));
}

TEST_P(events_test, a_listener_may_end_itself) {
  std::atomic<int> calls{0};
  std::optional<events::subscription> once;
  std::atomic<bool> ready{false};
  once = events::on<events::task_started>([&](const events::task_started&) {
    if (!ready.exchange(false)) return;
    ++calls;
    once->end();
  });
  ready = true;
  for (int i = 0; i < 20; ++i) treadle::async([] {}).get();
  EXPECT_EQ(calls, 1);
}

TEST_P(events_test, no_call_after_the_end) {
  for (int i = 0; i < 200; ++i) {
    auto alive = std::make_unique<std::atomic<int>>(0);
    auto listening = events::on<events::task_started>([&alive](const auto&) { ++*alive; });
    auto task = treadle::async([] {});
    listening.end();
    alive.reset(); // a call now would be seen by the sanitizers
    task.get();
  }
}

TEST_P(events_test, tasks_of_a_listener_are_not_told_of) {
  std::atomic<int> calls{0};
  {
    const auto listening = events::on<events::task_created>([&](const events::task_created&) {
      ++calls;
      static_cast<void>(treadle::async([] {}));
    });
    treadle::async([] {}).get();
  }
  rt->wait_idle();
  EXPECT_EQ(calls, 1);
}

TEST_P(events_test, one_that_waits_on_a_worker_has_failed_and_nothing_else) {
  std::atomic<int> calls{0}, refused{0};
  treadle::promise<void> never;
  const auto forever = never.get_future().share();
  const auto listening = events::on<events::custom>([&](const events::custom& e) {
    if (e.name != "wait") return;
    ++calls;
    try {
      forever.wait();
    } catch (const std::system_error& error) {
      refused += error.code() == std::errc::resource_deadlock_would_occur;
      throw;
    }
  });
  counted<events::custom> heard;
  for (int i = 0; i < 20; ++i) treadle::async([] { events::emit("wait"); }).get();
  EXPECT_TRUE(listening.failed());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(heard.calls, 20);
  // Loops and sleep, too; a loop needs no stack of its own.
  std::atomic<int> iterations{0}, sleeps{0};
  const auto working = events::on<events::custom>([&](const events::custom& e) {
    if (e.name != "work") return;
    treadle::for_loop(treadle::par, 0, 1000, [&](int) { ++iterations; });
    EXPECT_THROW(treadle::this_task::sleep_for_ns(1000), std::system_error);
    ++sleeps;
  });
  for (int i = 0; i < 20; ++i) treadle::async([] { events::emit("work"); }).get();
  EXPECT_EQ(iterations, 20'000);
  EXPECT_EQ(sleeps, 20);
}

TEST_P(events_test, one_that_throws_is_not_called_again) {
  std::atomic<int> calls{0};
  const auto listening = events::on<events::task_started>([&](const auto&) {
    ++calls;
    throw std::runtime_error("no");
  });
  EXPECT_FALSE(listening.failed());
  for (int i = 0; i < 10; ++i) treadle::async([] {}).get();
  rt->wait_idle();
  EXPECT_TRUE(listening.failed());
  EXPECT_GE(calls, 1);
  EXPECT_LE(calls, static_cast<int>(GetParam()));
}

TEST(events, of_the_program) {
  std::vector<std::pair<std::string, double>> seen;
  const auto listening =
      events::on<events::custom>([&](const events::custom& e) { seen.emplace_back(e.name, e.value); });
  const auto another = events::on<events::custom>([&](const events::custom& e) { EXPECT_EQ(e.worker, -1); });
  events::emit("step", 1.5);
  events::emit("done");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], (std::pair<std::string, double>{"step", 1.5}));
  EXPECT_EQ(seen[1].first, "done");
  EXPECT_TRUE(std::isnan(seen[1].second));
}

TEST(events, workers_that_sleep) {
  counted<events::worker_parked> parked;
  counted<events::worker_woken> woken;
  treadle::runtime runtime({.workers = 2});
  treadle::async([] {}).get();
  while (parked.calls == 0) std::this_thread::yield();
  treadle::async([] {}).get();
  while (woken.calls == 0) treadle::async([] {}).get();
}

TEST(events, subscriptions_come_and_go_while_tasks_run) {
  treadle::runtime runtime({.workers = 2});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        counted<events::task_started> one;
        counted<events::task_finished> other;
        treadle::async([] {}).get();
      }
    });
  }
  for (int i = 0; i < 2000; ++i) treadle::async([] {}).get();
  stop = true;
  for (auto& t : threads) t.join();
}

} // namespace
