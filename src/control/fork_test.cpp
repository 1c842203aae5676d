// Decisions in the child of a fork. Not under sanitizers, for the reasons that src/task/engine/fork_test.cpp gives.
#include <treadle/detail/config.hpp>
#if !defined(TREADLE_TSAN) && !defined(TREADLE_ASAN)

#include "in_child.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>
#include <treadle/tune/explain.hpp>
#include <treadle/tune/session.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include <unistd.h>

namespace treadle {
namespace {

int small(int n) { return n + 1; }

/// All kinds of decisions at once; `tuning` is shared by all threads.
int decide_much(session& tuning) {
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    trial t = tuning.next();
    t.report(1.0 + i % 3);
    if (i % 10 == 0) wrong += async(launch::adaptive, small, i).get() != i + 1;
  }
  std::vector<int> numbers(1000);
  for_loop(par.with(adaptive_chunk_size{}), 0, 1000, [&](int i) { numbers[static_cast<std::size_t>(i)] = i; });
  for (int i = 0; i < 1000; ++i) wrong += numbers[static_cast<std::size_t>(i)] != i;
  return wrong + static_cast<int>(explain().empty());
}

TEST(fork, the_child_goes_on_deciding) {
  const runtime rt({.workers = 2});
  const auto path = std::filesystem::temp_directory_path() / ("treadle_fork_" + std::to_string(getpid()));
  {
    tuning_store store(path.string());
    knob<int> k("forked", steps(0, 9), 0);
    session tuning("forked", {.window_ns = 0, .budget = 0}, k);
    tuning.remember_in(store);
    std::atomic<bool> stop{false};
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i)
      others.emplace_back([&] {
        while (!stop) EXPECT_EQ(decide_much(tuning), 0);
      });
    others.emplace_back([&] {
      for (; !stop; std::this_thread::sleep_for(std::chrono::milliseconds(1))) store.save();
    });
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(holds_in_child([&] {
        store.save();
        return decide_much(tuning);
      })) << i;
      EXPECT_EQ(decide_much(tuning), 0);
    }
    stop = true;
    for (auto& t : others) t.join();
    EXPECT_EQ(store.message(), "");
  }
  std::filesystem::remove(path);
}

} // namespace
} // namespace treadle

#endif
