#include "agent/process_tree.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

/// Whether or not it gets a processor.
TEST(process_table, tells_who_could_run) {
  const pid_t works = fork();
  if (works == 0)
    for (;;) static_cast<void>(getppid());
  const pid_t sleeps = fork();
  if (sleeps == 0)
    for (;;) pause();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(process_table::any_runnable({sleeps, works}));
  while (process_table::any_runnable({sleeps})) usleep(1000); // until it sleeps
  EXPECT_FALSE(process_table::any_runnable({sleeps}));
  for (const pid_t child : {works, sleeps}) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_FALSE(process_table::any_runnable({works, sleeps}));
  EXPECT_FALSE(process_table::any_runnable({}));
}

} // namespace
} // namespace treadle::agent
