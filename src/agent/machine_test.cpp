#include "agent/machine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

TEST(agent_machine, busy_time_of_some_processors) {
  const char* text = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 7 50 1000 3 1 2 5 0 0\ncpu1 200 0 0 0 0 0 0 0 0 0\n"
                     "cpu12 1 0 0 0 0 0 0 0 0 0\nintr 5 6\n";
  EXPECT_DOUBLE_EQ(busy_s(text, {0}, 100), 1.53);
  EXPECT_DOUBLE_EQ(busy_s(text, {0, 1}, 100), 3.53);
  EXPECT_DOUBLE_EQ(busy_s(text, {12}, 100), 0.01);
  EXPECT_DOUBLE_EQ(busy_s("", {0}, 100), 0);
  EXPECT_DOUBLE_EQ(busy_s("cpu0 x", {0}, 100), 0);
}

TEST(agent_machine, capacity_is_what_others_leave) {
  foreign_load load;
  for (int i = 0; i < 40; ++i) load.observe(0.5, 1.6, 0.6); // two cores are others'
  EXPECT_NEAR(load.cores(), 2, 0.01);
  EXPECT_EQ(capacity(8, load.cores()), 6u);
  EXPECT_EQ(capacity(8, 0.4), 8u);
  EXPECT_EQ(capacity(8, 100), 1u);
  load.observe(0, 5, 0);
  load.observe(0.5, 0, 9); // less than nothing: time was counted late
  EXPECT_LT(load.cores(), 2);
  EXPECT_GE(load.cores(), 0);
}

TEST(agent_machine, processes_are_watched_until_they_end) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (std::atomic<int> i{0};; ++i) {
    }
  }
  const watched_process watched(child);
  EXPECT_FALSE(watched.has_ended());
  double used = 0;
  while (used == 0) used = watched.cpu_s().value_or(0);
  kill(child, SIGKILL);
  while (!watched.has_ended()) {
  }
  EXPECT_EQ(watched.cpu_s(), std::nullopt);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(watched.has_ended());
  EXPECT_FALSE(watched_process(child).has_ended()) << "not watched";
  EXPECT_EQ(watched_process(-1).descriptor(), -1);
}

} // namespace
} // namespace treadle::agent
