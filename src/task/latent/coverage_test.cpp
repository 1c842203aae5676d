// Latent work reaches idle workers, also when the functions that could give it away run for long: what heartbeat
// schedulers are known to get wrong (chili issue 33 and pull request 38; Spice's single shared job per worker).
#include "task/engine/runtime_fixture.hpp"
#include "task/latent/promoted_task.hpp"
#include "task/worker/worker.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/observe/trace.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace treadle {
namespace {

/// Waits without ever looking at the runtime, as a long computation does.
void compute_until(const std::atomic<int>& value, int at_least) {
  while (value.load() < at_least) std::this_thread::yield();
}

class coverage_test : public testing::on_workers {
 protected:
  unsigned workers() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Workers, coverage_test, ::testing::Values(2u, 4u, 8u),
                         [](const auto& workers) { return "w" + std::to_string(workers.param); });

TEST_P(coverage_test, two_long_halves_when_a_worker_becomes_idle_after_the_fork) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> begun{0}, second_began{0};
    std::atomic<unsigned> occupied{0};
    task_group others;
    for (unsigned w = 1; w < workers(); ++w) {
      others.run([&] {
        ++occupied;
        compute_until(begun, 1);
      });
    }
    async([&] {
      while (occupied.load() != workers() - 1) this_task::yield(); // nobody is hungry when the fork is made
      parallel_invoke(
          [&] {
            begun = 1;
            compute_until(second_began, 1);
          },
          [&] { second_began = 1; });
    }).get();
    others.wait();
  }
}

void leaves(unsigned count, std::atomic<int>& at_work, int wanted) {
  if (count > 1)
    return parallel_invoke([&] { leaves(count / 2, at_work, wanted); },
                           [&] { leaves(count - count / 2, at_work, wanted); });
  ++at_work;
  compute_until(at_work, wanted);
}

TEST_P(coverage_test, a_tree_of_long_leaves_occupies_all_workers) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> at_work{0};
    async([&] { leaves(workers(), at_work, static_cast<int>(workers())); }).get();
    EXPECT_EQ(at_work, static_cast<int>(workers()));
  }
}

TEST_P(coverage_test, a_tree_of_long_leaves_after_all_workers_went_to_sleep) {
  while (rt->statistics().parks < workers()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic<int> at_work{0};
  async([&] { leaves(workers(), at_work, static_cast<int>(workers())); }).get();
  EXPECT_EQ(at_work, static_cast<int>(workers()));
}

TEST_P(coverage_test, a_program_that_blocks_all_signals) {
  rt.reset();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  rt = std::make_unique<runtime>(runtime_options{.workers = workers()});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> at_work{0};
    async([&] { leaves(workers(), at_work, static_cast<int>(workers())); }).get();
  }
}

TEST_P(coverage_test, the_rest_of_a_loop_whose_iteration_takes_long) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> last_ran{0};
    async([&] {
      for_loop(par.with(dynamic_chunk_size{1}), 0, 8, [&](int iteration) {
        if (iteration == 7) last_ran = 1;
        if (iteration == 0) compute_until(last_ran, 1);
      });
    }).get();
  }
}

TEST_P(coverage_test, the_last_chunk_of_a_loop) {
  std::atomic<int> others_ran{0};
  async([&] {
    for_loop(par.with(dynamic_chunk_size{10}), 0, 30, [&](int iteration) {
      if (iteration == 10) others_ran = 1;
      if (iteration == 0) compute_until(others_ran, 1);
    });
  }).get();
}

long fib(int n) {
  if (n < 2) return n;
  const auto [left, right] = parallel_invoke([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return left + right;
}

long catches(int n) {
  if (n < 2) return n;
  long result = 0;
  try {
    parallel_invoke(
        [&] {
          result = catches(n - 1);
          if (n % 3 == 0) throw result;
        },
        [=] { return fib(n % 7); });
  } catch (long thrown) {
    result = thrown;
  }
  return result + 1;
}

TEST_P(coverage_test, signals_between_any_two_instructions) {
  std::atomic<bool> done{false};
  std::thread storm([&] {
    for (unsigned long sent = 0; !done; ++sent) {
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const int thread = std::stoi(entry.path().filename().string());
        if (thread == gettid() || thread == getpid()) continue;
        syscall(SYS_tgkill, getpid(), thread, SIGURG);
        // Not faster than they are handled: the workers have to get on.
        for (unsigned long spin = 0; spin < 500 * (1 + sent % 7); ++spin) asm volatile("");
      }
    }
  });
  for (int i = 0; i < 10; ++i) {
    std::optional<trace> records_forks;
    if (i % 2 != 0) records_forks.emplace(std::size_t{1} << 10, true);
    EXPECT_EQ(async(fib, 21).get(), 10946);
    EXPECT_EQ(async(catches, 30).get(), 30);
    long sum = 0;
    for_loop(par, 0L, 20'000L, reduction_plus(sum), [](long k, long& s) { s += fib(static_cast<int>(k % 5)) + k; });
    EXPECT_EQ(sum, 19'999L * 10'000L + 20'000L / 5 * 7);
    EXPECT_EQ(async([] { return async(fib, 15).get() + async(launch::fork, fib, 14).get(); }).get(), 610 + 377);
  }
  done = true;
  storm.join();
}

#if defined(__x86_64__) && !defined(TREADLE_ASAN) && !defined(TREADLE_TSAN)
/// Runs code step by step, by the trap flag of the processor, and sends its thread a nudge after a certain instruction.
class stepper {
 public:
  stepper() {
    struct sigaction ours{};
    ours.sa_sigaction = trap;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGTRAP, &ours, &m_before);
  }
  ~stepper() { sigaction(SIGTRAP, &m_before, nullptr); }

  /// Number of instructions that `code` took; the nudge comes after number `nudge_after`.
  template <class Code>
  long run(long nudge_after, Code code) {
    s_nudge_after = nudge_after;
    s_steps = 0;
    s_active = true;
    // Beyond the red zone, which the compiler may be using.
    asm volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), %%rsp" ::
                     : "cc", "memory");
    code();
    s_active = false; // the handler ends it, on whichever thread it is
    return s_steps;
  }

 private:
  static void trap(int, siginfo_t*, void* context) {
    if (!s_active)
      static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    else if (++s_steps == s_nudge_after)
      syscall(SYS_tgkill, getpid(), gettid(), SIGURG);
  }

  static inline std::atomic<bool> s_active{false};
  static inline std::atomic<long> s_steps{0}, s_nudge_after{0};
  struct sigaction m_before{};
};

/// With one worker nobody is ever hungry: nothing is promoted but by the nudge, and then run by its owner. With two
/// the other one takes it.
class stepped_nudge_test : public ::testing::TestWithParam<unsigned> {
 protected:
  void TearDown() override { EXPECT_TRUE(GetParam() > 1 || rt.statistics().tasks_inlined > 20); }

  /// Before the steps, on a worker: it has what it needs to answer a nudge.
  static void prepare() {
    while (!detail::this_worker()->latent.nudge()) this_task::yield();
  }
  /// After the steps: what was handed over was taken, or taken back.
  static void check() { EXPECT_FALSE(detail::this_worker()->latent.has_handed()); }

  runtime installs_the_handler{{.workers = 2}};
  runtime rt{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Workers, stepped_nudge_test, ::testing::Values(1u, 2u),
                         [](const auto& workers) { return "w" + std::to_string(workers.param); });

TEST_P(stepped_nudge_test, after_every_single_instruction_of_forks) {
  stepper steps;
  bool goes_on = true;
  for (long after = 1; goes_on; ++after) {
    async([&] {
      long one = 0, two = 0, three = 0;
      const auto fork = [&] {
        parallel_invoke([&one] { ++one; }, [&two] { ++two; }, [&three] { ++three; });
        const auto [a, b] = parallel_invoke([&one] { return ++one; }, [&two] { return ++two; });
        three += a == 2 && b == 2;
      };
      prepare();
      goes_on = steps.run(after, fork) >= after;
      check();
      EXPECT_EQ(one, 2) << "nudged after instruction " << after;
      EXPECT_EQ(two, 2) << "nudged after instruction " << after;
      EXPECT_EQ(three, 2) << "nudged after instruction " << after;
    }).get();
  }
}

TEST_P(stepped_nudge_test, after_many_an_instruction_of_a_fork_that_is_recorded) {
  const trace records_forks(std::size_t{1} << 10, true);
  stepper steps;
  bool goes_on = true;
  for (long after = 1; goes_on; after += 7) {
    async([&] {
      long one = 0, two = 0;
      prepare();
      goes_on = steps.run(after, [&] { parallel_invoke([&one] { ++one; }, [&two] { ++two; }); }) >= after;
      check();
      EXPECT_EQ(one, 1) << "nudged after instruction " << after;
      EXPECT_EQ(two, 1) << "nudged after instruction " << after;
    }).get();
  }
}

TEST_P(stepped_nudge_test, after_many_an_instruction_of_a_loop) {
  stepper steps;
  bool goes_on = true;
  for (long after = 1; goes_on; after += 3) {
    async([&] {
      std::atomic<int> runs[6] = {};
      long sum = 0;
      const auto loop = [&] {
        for_loop(par.with(dynamic_chunk_size{1}), 0, 6, reduction_plus(sum), [&runs](int i, long& s) {
          ++runs[i];
          s += i;
        });
      };
      prepare();
      goes_on = steps.run(after, loop) >= after;
      check();
      EXPECT_EQ(sum, 15) << "nudged after instruction " << after;
      for (const auto& r : runs) EXPECT_EQ(r, 1) << "nudged after instruction " << after;
    }).get();
  }
}
#endif

class nudge_test_on : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, nudge_test_on, ::testing::Values(1u, 2u, 4u, 8u),
                         [](const auto& workers) { return "w" + std::to_string(workers.param); });

/// What was handed over is a task like any other: the one that leaves its stack must find it, also when nobody else is
/// there.
TEST_P(nudge_test_on, work_that_was_handed_over_runs_while_its_owner_waits) {
  runtime installs_the_handler({.workers = 2});
  runtime rt({.workers = GetParam()});
  for (int i = 0; i < 20; ++i) {
    async([] {
      while (!detail::this_worker()->latent.nudge()) this_task::yield(); // it has what it needs to answer
      latch ran(1);
      parallel_invoke(
          [&] {
            syscall(SYS_tgkill, getpid(), gettid(), SIGURG);
            ran.wait();
          },
          [&] { ran.count_down(); });
    }).get();
  }
}

TEST(nudge_death_test, a_handler_of_the_program_stays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto program = [] {
    std::signal(SIGURG, [](int) { _exit(3); });
    runtime rt({.workers = 2});
    async([] { std::raise(SIGURG); }).get();
    _exit(4);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(3), "");
}

TEST(nudge_test, can_be_switched_off) {
  runtime rt({.workers = 2, .nudge = false});
  EXPECT_EQ(async(fib, 20).get(), 6765);
}

} // namespace
} // namespace treadle
