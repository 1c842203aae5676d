// How a process ends that has used the default runtime.
#include "task/engine/runtime_fixture.hpp"

#include <treadle/treadle.hpp>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace treadle {
namespace {

latch g_never(1);

struct waits_for_ever {
  void operator()() const { g_never.wait(); }
};

/// The future is kept: what an abandoned stack refers to is no leak as long as something else refers to it, too.
void block_a_task() {
  static auto* const kept = new std::vector<future<void>>;
  kept->push_back(async(waits_for_ever{}));
}

class exit_death_test : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("TREADLE_EXIT_DEADLINE", "50", 1);
  }
  void TearDown() override { unsetenv("TREADLE_EXIT_DEADLINE"); }
};

TEST_F(exit_death_test, blocked_tasks_are_named_and_left) {
  const auto program = [] {
    for (int i = 0; i < 2; ++i) block_a_task();
    async([] {}).get();
    alarm(20);
    std::exit(3);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(3),
              "tasks are blocked, and nothing else has run for 50 ms.*\n.*waits_for_ever \\(2 times\\)");
}

TEST_F(exit_death_test, the_report_goes_where_it_is_wanted) {
  const auto program = [] {
    set_exit_report([](const char* message) {
      const bool names = std::string(message).find("waits_for_ever") != std::string::npos;
      std::fputs(names ? "told\n" : "not told\n", stderr);
    });
    block_a_task();
    alarm(20);
    std::exit(3);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(3), "^told\n$");
}

TEST_F(exit_death_test, a_knob_that_nobody_has_is_named) {
  const auto program = [] {
    setenv("TREADLE_KNOB", "blok=3;runtime.nap-ns=60000", 1);
    async([] {}).get();
    alarm(20);
    std::exit(3);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(3), "^treadle: TREADLE_KNOB: there is no knob 'blok'\n$");
}

TEST_F(exit_death_test, tasks_that_run_are_waited_for) {
  const auto program = [] {
    static_cast<void>(async([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300)); // longer than the deadline, but it runs
      std::fputs("finished\n", stderr);
    }));
    alarm(20);
    std::exit(0);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(0), "^finished\n$");
}

TEST_F(exit_death_test, and_so_are_tasks_that_sleep) {
  const auto program = [] {
    static_cast<void>(async([] {
      this_task::sleep_for(std::chrono::milliseconds(300));
      std::fputs("finished\n", stderr);
    }));
    alarm(20);
    std::exit(0);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(0), "^finished\n$");
}

} // namespace
} // namespace treadle
