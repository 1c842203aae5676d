// What the child of a fork() finds. Not under sanitizers: the thread sanitizer does not survive forks of threaded
// processes, and the allocator of GCC 12's address sanitizer leaves a lock held that a thread had when the process
// forked.
#include <treadle/detail/config.hpp>
#if !defined(TREADLE_TSAN) && !defined(TREADLE_ASAN)

#include "observe/programs/state_sources.hpp"
#include "task/engine/runtime_fixture.hpp"

#include "in_child.hpp"

#include <treadle/treadle.hpp>

#include <atomic>
#include <string>
#include <system_error>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle {
namespace {

using testing::fib;

class fork_test : public testing::on_workers {};
TREADLE_ON_WORKERS(fork_test);

TEST_P(fork_test, the_child_gets_a_runtime_of_its_own) {
  EXPECT_EQ(async(fib, 15).get(), 610);
  EXPECT_TRUE(holds_in_child([this] {
    rt->wait_idle(); // of the parent: nothing to wait for here
    rt.reset();      // and nothing to end
    return async(fib, 15).get() == 610 ? 0 : 1;
  }));
  EXPECT_EQ(async(fib, 15).get(), 610);
}

TEST_P(fork_test, also_while_the_parent_is_busy) {
  std::atomic<bool> stop{false};
  std::thread producer([&] {
    while (!stop) async(fib, 8).get();
  });
  auto spins = async([&] {
    while (!stop) fib(10);
  });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(holds_in_child([] { return async(fib, 12).get() == 144 ? 0 : 1; }));
  stop = true;
  producer.join();
  spins.get();
}

TEST_P(fork_test, and_the_child_of_the_child) {
  EXPECT_TRUE(holds_in_child([] {
    if (async(fib, 10).get() != 55) return 1;
    return holds_in_child([] { return async(fib, 10).get() == 55 ? 0 : 2; }) ? 0 : 3;
  }));
}

TEST_P(fork_test, the_child_has_no_grant_of_the_parents_agent) {
  const auto govern = detail::g_govern.load(detail::order::relaxed);
  govern(0); // nothing would run in the child
  EXPECT_TRUE(holds_in_child([] { return async(fib, 10).get() == 55 ? 0 : 1; }));
  govern(detail::k_not_governed);
  EXPECT_EQ(async(fib, 10).get(), 55);
}

TEST_P(fork_test, inside_a_task_the_child_can_only_leave) {
  const bool refused = async([] {
                         return holds_in_child([] {
                           try {
                             async([] {}).get();
                           } catch (const std::system_error& e) {
                             const bool says_why = std::string(e.what()).find("fork() was called inside a task") == 0;
                             return e.code() == std::errc::operation_not_permitted && says_why ? 0 : 1;
                           }
                           return 2;
                         });
                       }).get();
  EXPECT_TRUE(refused);
}

TEST_P(fork_test, inside_a_task_the_child_does_not_block) {
  const bool refused = async([] {
                         latch closed(1);
                         return holds_in_child([&] {
                           try {
                             closed.wait();
                           } catch (const std::system_error&) {
                             return 0;
                           }
                           return 1;
                         });
                       }).get();
  EXPECT_TRUE(refused);
}

TEST_P(fork_test, a_task_that_returns_in_the_child_ends_it) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  static int report_to = 0;
  report_to = ends[1];
  const exit_report before = set_exit_report([](const char* message) {
    const std::string text(message);
    ASSERT_EQ(write(report_to, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  });
  const pid_t parent = getpid();
  const pid_t child = async([] { return fork(); }).get(); // the child does not come here
  ASSERT_EQ(getpid(), parent);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE);
  set_exit_report(before);
  close(ends[1]);
  char text[200] = {};
  EXPECT_GT(read(ends[0], text, sizeof text - 1), 0);
  close(ends[0]);
  EXPECT_NE(std::string(text).find("a task has returned in a child process"), std::string::npos) << text;
}

} // namespace
} // namespace treadle

#endif
