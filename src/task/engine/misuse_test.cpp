// What happens when tasks are used in ways that cannot work.
#include "task/engine/runtime_fixture.hpp"
#include "task/worker/task_fiber.hpp"

#include <treadle/treadle.hpp>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace treadle {
namespace {

class misuse_test : public testing::on_workers {};
TREADLE_ON_WORKERS(misuse_test);

template <class Call>
std::string deadlock_message(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
    return error.what();
  }
  return "(no deadlock found)";
}

TEST_P(misuse_test, a_task_that_waits_for_itself_is_told) {
  shared_future<std::string> own;
  latch assigned(2);
  own = async([&] {
          assigned.arrive_and_wait();
          return deadlock_message([&] { return own.get(); });
        }).share();
  assigned.arrive_and_wait();
  EXPECT_NE(own.get().find("a task waits for its own future"), std::string::npos) << own.get();
}

TEST_P(misuse_test, also_through_what_runs_on_its_stack) {
  shared_future<std::string> own;
  latch assigned(2);
  own = async([&] {
          assigned.arrive_and_wait();
          return deadlock_message(
              [&] { async(launch::deferred, [&] { parallel_invoke([&] { own.wait(); }, [] {}); }).get(); });
        }).share();
  assigned.arrive_and_wait();
  EXPECT_NE(own.get().find("own future"), std::string::npos) << own.get();
}

TEST_P(misuse_test, a_timed_wait_for_itself_ends) {
  shared_future<bool> own;
  latch assigned(2);
  own = async([&] {
          assigned.arrive_and_wait();
          return own.wait_for(std::chrono::milliseconds(1)) == future_status::timeout;
        }).share();
  assigned.arrive_and_wait();
  EXPECT_TRUE(own.get());
}

TEST_P(misuse_test, wait_idle_inside_a_task_is_refused) {
  EXPECT_NE(
      async([this] { return deadlock_message([this] { rt->wait_idle(); }); }).get().find("wait_idle() inside a task"),
      std::string::npos);
}

TEST(options_misuse_test, stacks_without_room_for_a_task_are_refused) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{65536}, std::size_t{1} << 40}) {
    try {
      runtime rt({.workers = 1, .stack_bytes = bytes});
      ADD_FAILURE() << bytes;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("runtime_options::stack_bytes: expected "), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("got " + std::to_string(bytes)), std::string::npos) << e.what();
    }
  }
}

TEST(options_misuse_test, the_smallest_stack_runs_tasks_in_place) {
  runtime rt({.workers = 1, .stack_bytes = 2 * detail::k_stack_reserve_bytes});
  async([] {
    for (int i = 0; i < 10; ++i) async([] {}).get();
  }).get();
  EXPECT_EQ(rt.statistics().suspensions, 0u);
}

TEST_P(misuse_test, waiting_twice_for_a_finished_outer_task_is_no_deadlock) {
  // A node whose function has returned a future is not ready, but no longer on any stack.
  async([] {
    promise<int> inner;
    auto node = dataflow(launch::sync, [&] { return inner.get_future(); }).share();
    auto waits = async([node] { return node.get(); });
    inner.set_value(3);
    EXPECT_EQ(node.get() + waits.get(), 6);
  }).get();
}

TEST_P(misuse_test, an_exception_beside_a_stolen_half) {
  if (GetParam() == 1) return; // nobody could steal it
  async([] {
    for (int i = 0; i < 100; ++i) {
      latch both(2);
      bool second_ended = false;
      EXPECT_THROW(parallel_invoke(
                       [&] {
                         both.arrive_and_wait();
                         throw std::runtime_error("first");
                       },
                       [&] {
                         both.arrive_and_wait();
                         this_task::yield();
                         second_ended = true;
                       }),
                   std::runtime_error);
      EXPECT_TRUE(second_ended);
    }
  }).get();
}

TEST_P(misuse_test, a_million_tasks_alive) {
  async([] {
    constexpr int k_tasks = 1'000'000;
    promise<int> start;
    shared_future<int> started = start.get_future().share();
    std::vector<future<int>> all;
    all.reserve(k_tasks);
    for (int i = 0; i < k_tasks; ++i) {
      all.push_back(started.then(launch::sync, [i](const shared_future<int>& s) { return s.get() + i; }));
    }
    start.set_value(1);
    long sum = 0;
    for (auto& f : all) sum += f.get();
    EXPECT_EQ(sum, k_tasks + static_cast<long>(k_tasks) * (k_tasks - 1) / 2);
  }).get();
}

#if !defined(TREADLE_ASAN) && !defined(TREADLE_TSAN)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[512];
  frame[depth % 512] = static_cast<char>(depth);
  return recurse(depth + 1) + frame[0];
}
#pragma GCC diagnostic pop

struct named {
  int operator()() const { return recurse(0); }
};

TEST(stack_overflow_death_test, names_the_task) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto program = [] {
    runtime rt({.workers = 2});
    async(named{}).get();
  };
  EXPECT_EXIT(program(), ::testing::KilledBySignal(SIGSEGV), "stack overflow in task .*named.*262144 bytes");
}

TEST(stack_overflow_death_test, names_the_task_of_a_group) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto group = [] {
    runtime rt({.workers = 1});
    async([] {
      task_group tasks;
      tasks.run(named{});
      tasks.wait();
    }).get();
  };
  EXPECT_EXIT(group(), ::testing::KilledBySignal(SIGSEGV), "stack overflow in task .*named");
}

TEST(stack_overflow_death_test, other_faults_are_left_to_who_had_them) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto program = [] {
    std::signal(SIGSEGV, [](int) { _exit(5); });
    runtime rt({.workers = 1});
    async([] { *static_cast<volatile int*>(nullptr) = 1; }).get();
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(5), "^$");
}

TEST(stack_overflow_death_test, a_fault_that_somebody_only_sends_kills_as_well) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto program = [] {
    runtime rt({.workers = 1});
    std::raise(SIGSEGV);
    _exit(4);
  };
  EXPECT_EXIT(program(), ::testing::KilledBySignal(SIGSEGV), "^$");
}
#endif

} // namespace
} // namespace treadle
