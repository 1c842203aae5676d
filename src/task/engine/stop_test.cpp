// runtime::stop()
#include "in_child.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <treadle/coroutine.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/observe/events.hpp>
#include <treadle/stop.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using namespace std::chrono_literals;

/// What abandoned tasks refer to is no leak as long as something else does, too.
template <class T>
T& kept_for_ever() {
  static auto* const all = new std::vector<std::unique_ptr<T>>;
  return *all->emplace_back(std::make_unique<T>());
}

struct latch_for_one : latch {
  latch_for_one() : latch(1) {}
};
struct waits_for {
  void operator()() const { what.wait(); }
  latch& what;
};

class stop_test : public testing::on_workers {
 protected:
  void TearDown() override { rt.reset(); }
};
TREADLE_ON_WORKERS(stop_test);

TEST_P(stop_test, waits_for_what_runs_sleeps_and_blocks_in_the_system) {
  std::atomic<int> done{0};
  std::vector<future<void>> all;
  all.push_back(async([&] {
    std::this_thread::sleep_for(30ms);
    ++done;
  }));
  all.push_back(async([&] {
    this_task::sleep_for(60ms);
    ++done;
  }));
  all.push_back(async([&] {
    const blocking_region region;
    std::this_thread::sleep_for(60ms);
    ++done;
  }));
  EXPECT_EQ(rt->stop(5), "");
  EXPECT_EQ(done, 3);
  EXPECT_EQ(rt->workers(), 0u);
  EXPECT_EQ(rt->stop(5), ""); // a second time
}

TEST_P(stop_test, names_and_leaves_what_is_blocked) {
  auto& never = kept_for_ever<latch_for_one>();
  auto& futures = kept_for_ever<std::vector<future<void>>>();
  for (int i = 0; i < 3; ++i) futures.push_back(async(waits_for{never}));
  std::atomic<int> done{0};
  for (int i = 0; i < 10; ++i) futures.push_back(async([&done] { ++done; }));
  const std::string blocked = rt->stop(20);
  EXPECT_EQ(done, 10);
  EXPECT_NE(blocked.find("waits_for (3 times)"), std::string::npos) << blocked;
  EXPECT_EQ(rt->concurrency(), 0u);
  EXPECT_EQ(rt->statistics().tasks_created, 0u);
  rt->set_concurrency(0);
  rt->wait_idle();
  never.count_down(); // wakes them, for nobody
  rt = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
  EXPECT_EQ(async([] { return 7; }).get(), 7);
}

TEST_P(stop_test, may_be_asked_for_by_several_threads_while_others_use_the_runtime) {
  for (int round = 0; round < 20; ++round) {
    rt = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
    std::atomic<bool> over{false};
    std::thread asks([&] {
      for (unsigned n = 0; !over; n = (n + 1) % (GetParam() + 1)) {
        rt->set_concurrency(n);
        static_cast<void>(rt->statistics());
        static_cast<void>(rt->concurrency());
      }
    });
    std::atomic<int> done{0};
    for (int i = 0; i < 100; ++i) static_cast<void>(async([&] { ++done; }));
    std::thread other([&] { EXPECT_EQ(rt->stop(1000), ""); });
    EXPECT_EQ(rt->stop(1000), "");
    EXPECT_EQ(done, 100);
    other.join();
    over = true;
    asks.join();
  }
}

TEST_P(stop_test, a_listener_may_read_counters_from_the_first_worker_to_the_last) {
  std::atomic<int> read{0};
  const auto look = [&](const auto&) {
    try {
      read += counters::counter("/runtime/concurrency").value() > 0;
    } catch (const std::exception&) { // no runtime yet, or any more
    }
  };
  const auto parked = events::on<events::worker_parked>(look);
  const auto woken = events::on<events::worker_woken>(look);
  for (int round = 0; round < 20; ++round) {
    rt = std::make_unique<runtime>(runtime_options{.workers = GetParam(), .pools = "io:1"});
    async([] {}).get();
    rt.reset();
  }
}

/// All of them, as a monitor does that knows nothing of runtimes; how many had a value.
std::size_t read_all_counters() {
  std::size_t values = 0;
  for (const counters::reading& one : counters::group({"/*/*"}).read()) values += one.missing.empty() ? 1U : 0U;
  static_cast<void>(counters::open_metrics({"/*/*", "/*{locality#*/pool#*/worker-thread#*}/*"}));
  return values;
}

TEST_P(stop_test, all_counters_may_be_read_while_runtimes_come_and_go) {
  std::atomic<bool> done{false};
  std::atomic<std::size_t> read{0};
  std::thread reader([&] {
    const counters::counter executed("/threads/count/cumulative");
    while (!done) {
      read += read_all_counters();
      try {
        EXPECT_GE(executed.value(), 0);
      } catch (const std::runtime_error&) { // there is no runtime
      }
    }
  });
  for (int round = 0; round < 20 || read == 0; ++round) {
    rt = std::make_unique<runtime>(runtime_options{.workers = GetParam(), .pools = "io:1"});
    for (int i = 0; i < 50; ++i) async([] {}).get();
    rt.reset();
  }
  done = true;
  reader.join();
}

#if !defined(TREADLE_TSAN) && !defined(TREADLE_ASAN) // as in fork_test.cpp
/// A thread reads them until the process is gone, while the runtime and all that is static end.
TEST(stop_test_of_programs, counters_may_be_read_until_a_program_is_gone) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(holds_in_child([] {
      static std::atomic<std::size_t> read{0};
      static runtime until_the_end({.workers = 2});
      std::thread([] {
        for (;;) read += read_all_counters();
      }).detach();
      while (read == 0) async([] {}).get();
      std::exit(0);
      return 1;
    }));
  }
}
#endif

TEST_P(stop_test, a_wait_with_a_limit_is_a_wait) {
  auto& never = kept_for_ever<promise<void>>();
  auto& futures = kept_for_ever<std::vector<future<void>>>();
  const auto waits = never.get_future().share();
  futures.push_back(async([waits] { static_cast<void>(waits.wait_for(1h)); }));
  EXPECT_NE(rt->stop(20), "");
}

TEST_P(stop_test, a_sleep_that_can_be_stopped_is_a_sleep) {
  std::atomic<bool> done{false};
  auto sleeps = async([&] { done = this_task::sleep_for(60ms, std::stop_token()); });
  EXPECT_EQ(rt->stop(5), "");
  EXPECT_TRUE(done);
}

future<int> waits_in_a_coroutine(future<int> input) { co_return co_await std::move(input); }

TEST_P(stop_test, names_each_task_once) {
  auto& never = kept_for_ever<latch_for_one>();
  auto& given = kept_for_ever<promise<int>>();
  auto& futures = kept_for_ever<std::vector<future<void>>>();
  futures.push_back(
      async(annotated([&never] { this_task::on_fresh_stack([&never] { never.wait(); }); }, "on another stack")));
  futures.push_back(async(annotated([&given] { waits_in_a_coroutine(given.get_future()).get(); }, "waits")));
  EXPECT_EQ(rt->stop(20), "  a coroutine that awaits a future\n  on another stack\n  waits\n");
}

TEST_P(stop_test, is_refused_inside_of_a_task) {
  EXPECT_THROW(async([this] { static_cast<void>(rt->stop(10)); }).get(), std::system_error);
  EXPECT_EQ(rt->stop(10), "");
}

} // namespace
} // namespace treadle
