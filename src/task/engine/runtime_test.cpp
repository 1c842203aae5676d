#include <treadle/treadle.hpp>

#include "task/engine/runtime_fixture.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <time.h>
#include <vector>

namespace treadle {
namespace {

TEST(runtime_test, a_first_caller_that_is_bound_to_one_core_does_not_bind_the_workers) {
  unsigned workers = 0;
  int cores = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    runtime rt;
    workers = rt.workers();
    cores = async([] {
              cpu_set_t all;
              CPU_ZERO(&all);
              EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
              return CPU_COUNT(&all);
            }).get();
  }).join();
  cpu_set_t all;
  CPU_ZERO(&all);
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(cores, CPU_COUNT(&all));
  EXPECT_EQ(workers, runtime().workers());
}

TEST(runtime_test, starts_and_stops_many_times) {
  for (unsigned i = 0; i < 50; ++i) {
    runtime rt({.workers = 1 + i % 4});
    EXPECT_EQ(rt.workers(), 1 + i % 4);
    EXPECT_EQ(&runtime::current(), &rt);
    EXPECT_EQ(async([] { return 1; }).get(), 1);
  }
  EXPECT_EQ(runtime::current_or_null(), nullptr);
}

TEST(runtime_test, ends_while_other_threads_create_tasks) {
  runtime last_resort({.workers = 1}); // whichever is current when the other thread looks
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) EXPECT_EQ(async([] { return 1; }).get(), 1);
  });
  for (int i = 0; i < 200; ++i) runtime rt({.workers = 1});
  stop = true;
  other.join();
}

TEST(runtime_test, several_start_at_once) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      runtime rt({.workers = 1});
      async([] {}).get();
    });
  }
  for (auto& t : threads) t.join();
}

TEST(runtime_test, destructor_waits_for_tasks_in_flight) {
  std::atomic<int> ran{0};
  {
    runtime rt({.workers = 2});
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(async([&] {
        this_task::yield();
        static_cast<void>(async([&] { ++ran; }));
      }));
    }
  }
  EXPECT_EQ(ran, 100);
}

TEST(runtime_test, tasks_stay_in_the_runtime_of_their_creator) {
  runtime a({.workers = 2});
  runtime b({.workers = 3});
  EXPECT_EQ(&runtime::current(), &b);
  promise<void> gate;
  auto in_b = async([&, open = gate.get_future()]() mutable {
    open.get();
    return async([] { return runtime::current().workers(); }).get();
  });
  gate.set_value();
  EXPECT_EQ(in_b.get(), 3u);
}

TEST(runtime_test, options_from_arguments_leave_the_rest_in_place) {
  std::string text[] = {"program", "--treadle:workers=3", "input", "--treadle:stack-bytes=262144", "-x"};
  char* argv[] = {text[0].data(), text[1].data(), text[2].data(), text[3].data(), text[4].data(), nullptr};
  int argc = 5;
  const auto options = runtime_options::from_arguments(argc, argv);
  EXPECT_EQ(options.workers, 3u);
  EXPECT_EQ(options.stack_bytes, 262144u);
  ASSERT_EQ(argc, 3);
  EXPECT_STREQ(argv[1], "input");
  EXPECT_STREQ(argv[2], "-x");
  EXPECT_EQ(argv[3], nullptr);
}

TEST(runtime_test, values_of_options_may_follow_them) {
  std::string text[] = {"program",
                        "--treadle:print-counter",
                        "/a/b",
                        "input",
                        "--treadle:print-counter=/c/*",
                        "--treadle:list-counters",
                        "--treadle:print-counter-interval",
                        "10"};
  char* argv[] = {text[0].data(), text[1].data(), text[2].data(), text[3].data(), text[4].data(),
                  text[5].data(), text[6].data(), text[7].data(), nullptr};
  int argc = 8;
  const auto options = runtime_options::from_arguments(argc, argv);
  EXPECT_EQ(options.print_counters, (std::vector<std::string>{"/a/b", "/c/*"}));
  EXPECT_TRUE(options.list_counters);
  EXPECT_EQ(options.print_counter_interval_ms, 10u);
  ASSERT_EQ(argc, 2);
  EXPECT_STREQ(argv[1], "input");
}

TEST(runtime_test, counters_are_printed_at_the_end) {
  const std::string file = ::testing::TempDir() + "printed_counters";
  {
    runtime rt({.workers = 2,
                .print_counters = {"/threads/count/cumulative", "/threads{locality#0/worker-thread#*}/idle-rate"},
                .print_counter_destination = file,
                .print_counter_format = "csv"});
    for (int i = 0; i < 10; ++i) async([] {}).get();
  }
  std::ifstream lines(file);
  std::string head, values;
  std::getline(lines, head);
  std::getline(lines, values);
  EXPECT_EQ(head, "time [s],/threads{locality#0/total}/count/cumulative,"
                  "/threads{locality#0/worker-thread#0}/idle-rate [%],"
                  "/threads{locality#0/worker-thread#1}/idle-rate [%]");
  EXPECT_NE(values.find(",10,"), std::string::npos) << values;
  EXPECT_THROW(runtime({.workers = 1, .print_counters = {"/threads/nonsense"}}), std::invalid_argument);
  EXPECT_EQ(runtime::current_or_null(), nullptr);
}

TEST(runtime_test, pools_that_lend_end_together_when_it_cannot_start) {
  for (int i = 0; i < 30; ++i)
    EXPECT_THROW(runtime({.workers = 1, .pools = "a:1,b:2", .print_counters = {"/threads/nonsense"}}),
                 std::invalid_argument);
}

TEST(runtime_test, bad_options_are_refused_by_name) {
  for (std::string bad : {"--treadle:workers=0", "--treadle:workers=two", "--treadle:workers", "--treadle:wrokers=2",
                          "--treadle:stack-bytes=1", "--treadle:workers=2x", "--treadle:print-counter-format=xml",
                          "--treadle:inlining=sometimes", "--treadle:explain=2"}) {
    char name[] = "p";
    char* argv[] = {name, bad.data(), nullptr};
    int argc = 2;
    try {
      static_cast<void>(runtime_options::from_arguments(argc, argv));
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(bad.substr(0, bad.find('='))), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(runtime({.workers = 100'000}), std::invalid_argument);
  EXPECT_THROW(runtime({.workers = 1, .stack_bytes = 1}), std::invalid_argument);
}

TEST(runtime_test, environment_sets_defaults) {
  setenv("TREADLE_WORKERS", "3", 1);
  EXPECT_EQ(runtime().workers(), 3u);
  EXPECT_EQ(runtime({.workers = 2}).workers(), 2u);
  setenv("TREADLE_WORKERS", "many", 1);
  EXPECT_THROW(runtime(), std::invalid_argument);
  unsetenv("TREADLE_WORKERS");
  EXPECT_GE(runtime().workers(), 1u);
}

/// Whether tasks can be sent to these pools.
void expect_pools(const runtime_options& options, const std::vector<const char*>& names) {
  runtime rt(options);
  for (const char* const name : names) {
    const pool_executor pool(name);
    EXPECT_TRUE(async(pool, [&] { return pool_executor(name).is_here(); }).get()) << name;
  }
}

TEST(runtime_test, pools_come_from_arguments_and_from_the_environment) {
  std::string name = "program", described = "--treadle:pools=io:1,blas:2:exclusive:policy=static";
  char* argv[] = {name.data(), described.data(), nullptr};
  int argc = 2;
  expect_pools(runtime_options::from_arguments(argc, argv), {"default", "io", "blas"});
  EXPECT_EQ(argc, 1);
  setenv("TREADLE_POOLS", "other:1:exclusive", 1);
  expect_pools({.workers = 1}, {"default", "other"});
  expect_pools({.workers = 1, .pools = "io:1"}, {"io"}); // the program itself goes first
  setenv("TREADLE_POOLS", "other:1:colour=red", 1);
  EXPECT_THROW(runtime({.workers = 1}), std::invalid_argument);
  unsetenv("TREADLE_POOLS");
}

TEST(runtime_test, a_pool_has_the_stacks_that_it_describes) {
  runtime rt({.workers = 1, .pools = "deep:1:exclusive:stack-bytes=8388608"});
  const auto uses_much = [] {
    constexpr std::size_t k_bytes = std::size_t{6} << 20U, k_page = 4096;
    volatile char local[k_bytes];
    for (std::size_t i = 0; i < k_bytes; i += k_page) local[i] = static_cast<char>(i / k_page % 100);
    int sum = 0;
    for (std::size_t i = 0; i < k_bytes; i += k_page) sum += local[i];
    return sum;
  };
  EXPECT_GT(async(pool_executor("deep"), uses_much).get(), 0);
}

TEST(runtime_test, a_default_runtime_that_cannot_start_is_an_error_of_the_task) {
  if (runtime::current_or_null()) GTEST_SKIP() << "the default runtime runs already";
  setenv("TREADLE_WORKERS", "many", 1);
  EXPECT_THROW(static_cast<void>(async([] {})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(async(launch::fork, [] {})), std::invalid_argument);
  EXPECT_THROW(make_ready_future(1).then([](future<int> f) { return f.get(); }).get(), std::invalid_argument);
  auto deferred = async(launch::deferred, [] { return 1; }).share();
  when_all(deferred).wait();
  EXPECT_THROW(deferred.get(), std::invalid_argument);
  unsetenv("TREADLE_WORKERS");
}

struct late_user {
  ~late_user() {
    if (async([] { return 5; }).get() != 5) std::abort();
  }
};

TEST(default_runtime_death_test, static_objects_that_outlive_it_may_create_tasks) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto use = [] {
    static late_user first; // before the default runtime, so destroyed after it
    std::exit(async([] { return 0; }).get());
  };
  EXPECT_EXIT(use(), ::testing::ExitedWithCode(0), "");
}

TEST(runtime_test, statistics_count_exactly) {
  runtime rt({.workers = 1});
  async([] {
    for (int i = 0; i < 10; ++i) async([] {}).get();
    this_task::yield();
  }).get();
  rt.wait_idle();
  const auto s = rt.statistics();
  EXPECT_EQ(s.tasks_created, 11u);
  EXPECT_EQ(s.tasks_inlined, 10u);
  EXPECT_EQ(s.tasks_stolen, 0u);
  EXPECT_EQ(s.suspensions, 1u);
  EXPECT_GE(s.stacks, 2u);
}

TEST(runtime_test, an_idle_runtime_uses_no_processor_time) {
  runtime rt({.workers = 4});
  async([] {}).get();
  const auto cpu_ns = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1'000'000'000L + t.tv_nsec;
  };
  // Not a measurement of speed: parked workers use none at all, spinning ones would use all of it.
  while (rt.statistics().parks < 4) std::this_thread::yield();
  const long before = cpu_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_ns() - before, 20'000'000);
}

class fiber_semantics_test : public testing::on_workers {};
TREADLE_ON_WORKERS(fiber_semantics_test);

TEST_P(fiber_semantics_test, suspending_inside_a_catch_block_keeps_the_exception) {
  std::vector<future<void>> tasks;
  std::atomic<int> migrated{0};
  for (int t = 0; t < 40; ++t) {
    tasks.push_back(async([t, &migrated] {
      try {
        throw std::runtime_error("task " + std::to_string(t));
      } catch (const std::runtime_error& e) {
        const int before = this_task::worker_index();
        for (int i = 0; i < 20; ++i) {
          this_task::yield(); // other tasks throw and catch on this thread meanwhile
          EXPECT_EQ(e.what(), "task " + std::to_string(t));
          EXPECT_EQ(std::uncaught_exceptions(), 0);
        }
        migrated += before != this_task::worker_index();
        try {
          throw; // the one that is being handled
        } catch (const std::exception& again) {
          EXPECT_EQ(again.what(), "task " + std::to_string(t));
        }
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }));
  }
  for (auto& t : tasks) t.get();
}

TEST_P(fiber_semantics_test, suspending_while_an_exception_unwinds) {
  struct yields_in_destructor {
    ~yields_in_destructor() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      this_task::yield();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  std::vector<future<void>> tasks;
  for (int t = 0; t < 20; ++t) {
    tasks.push_back(async([] {
      EXPECT_THROW(
          {
            yields_in_destructor guard;
            throw 1;
          },
          int);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }));
  }
  for (auto& t : tasks) t.get();
}

int deep(int n) {
  if (this_task::stack_remaining() < 100 * 1024) return this_task::on_fresh_stack([n] { return deep(n); });
  volatile char frame[512] = {};
  return n == 0 ? frame[0] : deep(n - 1) + 1;
}

TEST_P(fiber_semantics_test, recursion_goes_on_on_fresh_stacks) {
  EXPECT_EQ(async([] { return deep(20'000); }).get(), 20'000);
  EXPECT_THROW(async([] { return this_task::on_fresh_stack([]() -> int { throw std::runtime_error("x"); }); }).get(),
               std::runtime_error);
  EXPECT_EQ(this_task::on_fresh_stack([] { return 3; }), 3);
  EXPECT_GT(this_task::stack_remaining(), 100'000u);
}

TEST_P(fiber_semantics_test, thousands_of_suspended_tasks) {
  constexpr int k_tasks = 3000;
  promise<void> gate;
  shared_future<void> open = gate.get_future().share();
  std::atomic<int> waiting{0};
  std::vector<future<int>> tasks;
  for (int i = 0; i < k_tasks; ++i) {
    tasks.push_back(async([i, open, &waiting] {
      ++waiting;
      open.get();
      return i;
    }));
  }
  while (waiting < k_tasks) std::this_thread::yield();
  gate.set_value();
  long sum = 0;
  for (auto& t : tasks) sum += t.get();
  EXPECT_EQ(sum, long{k_tasks} * (k_tasks - 1) / 2);
  rt->wait_idle();
  EXPECT_LT(rt->statistics().stacks, 300u); // the pool keeps a bounded number
}

} // namespace
} // namespace treadle
