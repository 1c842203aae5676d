#include <treadle/algorithm/for_loop.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include "observe/interval_sum.hpp"
#include "task/engine/runtime_fixture.hpp"
#include "topology/cpu_distance.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace counters = treadle::counters;

namespace {

std::string threads(const std::string& counter, const std::string& instance = "locality#0/total") {
  return "/threads{" + instance + "}/" + counter;
}

double sum(const counters::group& readers) {
  double all = 0;
  for (const auto& one : readers.read()) all += one.value;
  return all;
}

// What `read` returns, an array of counts that only rise, as it was at one moment: two readings that agree. After
// wait_idle() a worker may still queue or steal, and then drop, what was handed to it and is done already.
template <class Read>
auto at_one_time(Read read) {
  for (auto before = read();;) {
    const auto now = read();
    if (now == before) return now;
    before = now;
  }
}

class thread_counters_test : public testing::TestWithParam<unsigned> {
 protected:
  treadle::runtime runtime{{.workers = GetParam()}};
  counters::counter executed{threads("count/cumulative")};
  counters::counter created{threads("count/created")};
  counters::counter inlined{threads("count/inlined")};
  counters::counter direct{threads("count/direct")};
  counters::counter phases{threads("count/cumulative-phases")};
  counters::counter suspensions{threads("count/suspensions")};
  counters::counter resumptions{threads("count/resumptions")};
  counters::counter promoted{threads("count/promoted")};
  counters::counter all{threads("count/instantaneous/all")};
};

TEST_P(thread_counters_test, every_task_is_counted_once) {
  constexpr int k_tasks = 1000;
  treadle::async([] {
    std::vector<treadle::future<int>> results;
    for (int i = 0; i < k_tasks; ++i) results.push_back(treadle::async([i] { return i; }));
    for (auto& f : results) f.get();
  }).get();
  runtime.wait_idle();
  EXPECT_EQ(created.value(), k_tasks + 1);
  EXPECT_EQ(executed.value(), k_tasks + 1);
  EXPECT_EQ(all.value(), 0);
  EXPECT_EQ(direct.value(), 0);
  EXPECT_LE(inlined.value(), k_tasks);
  // Each task that was not run in place has a phase of its own, and each suspension one more.
  EXPECT_EQ(phases.value(), executed.value() - inlined.value() + resumptions.value());
  EXPECT_EQ(suspensions.value(), resumptions.value());
}

TEST_P(thread_counters_test, tasks_waited_for_in_any_order) {
  constexpr int k_rounds = 50;
  for (int i = 0; i < k_rounds; ++i) {
    treadle::async([] {
      for (int k = 0; k < k_rounds; ++k) {
        auto a = treadle::async([] {}), b = treadle::async([] {}), c = treadle::async([] {});
        b.get();
        c.get();
        a.get();
      }
    }).get();
  }
  runtime.wait_idle();
  EXPECT_EQ(executed.value(), k_rounds * (3 * k_rounds + 1));
  EXPECT_EQ(phases.value(), executed.value() - inlined.value() + resumptions.value());
  EXPECT_GE(phases.value(), k_rounds);
}

TEST_P(thread_counters_test, deferred_and_forked_tasks) {
  treadle::async([] {
    treadle::async(treadle::launch::deferred, [] {}).get();
    treadle::async(treadle::launch::fork, [] {}).get();
  }).get();
  runtime.wait_idle();
  EXPECT_EQ(executed.value(), 3);
  EXPECT_EQ(direct.value(), 1);
  EXPECT_EQ(created.value(), 2);
  EXPECT_EQ(phases.value(), executed.value() - inlined.value() - direct.value() + resumptions.value());
}

TEST_P(thread_counters_test, a_reset_starts_anew) {
  treadle::async([] {}).get();
  runtime.wait_idle();
  EXPECT_EQ(executed.value(), 1);
  executed.reset();
  EXPECT_EQ(executed.value(), 0);
  treadle::async([] {}).get();
  runtime.wait_idle();
  EXPECT_EQ(executed.value(), 1);
  EXPECT_EQ(counters::counter(threads("count/cumulative")).value(), 2);
}

TEST_P(thread_counters_test, suspensions_and_migrations) {
  constexpr int k_turns = 500;
  treadle::async([] {
    treadle::binary_semaphore ping(0), pong(0);
    auto partner = treadle::async([&] {
      for (int i = 0; i < k_turns; ++i) {
        ping.acquire();
        pong.release();
      }
    });
    for (int i = 0; i < k_turns; ++i) {
      ping.release();
      pong.acquire();
    }
    partner.get();
  }).get();
  runtime.wait_idle();
  EXPECT_EQ(executed.value(), 2);
  EXPECT_EQ(suspensions.value(), resumptions.value());
  EXPECT_EQ(phases.value(), executed.value() - inlined.value() + resumptions.value());
  if (GetParam() == 1) {
    EXPECT_GE(suspensions.value(), k_turns);
  }
  if (suspensions.value() > 0) {
    EXPECT_GT(counters::counter(threads("stack/max")).value(), 100);
    EXPECT_LT(counters::counter(threads("stack/max")).value(), static_cast<double>(runtime.stack_bytes()));
  }
}

TEST_P(thread_counters_test, forks_that_nobody_takes_are_no_tasks) {
  treadle::async([] {
    struct fib {
      static int of(int n) {
        if (n < 2) return n;
        int a = 0, b = 0;
        treadle::parallel_invoke([&] { a = of(n - 1); }, [&] { b = of(n - 2); });
        return a + b;
      }
    };
    EXPECT_EQ(fib::of(15), 610);
  }).get();
  runtime.wait_idle();
  EXPECT_EQ(executed.value(), promoted.value() + 1);
  EXPECT_EQ(created.value(), promoted.value() + 1);
  if (GetParam() == 1) {
    EXPECT_EQ(promoted.value(), 0);
  }
}

TEST_P(thread_counters_test, nodes_that_wait_for_inputs) {
  counters::counter accesses(threads("count/staged-accesses")), misses(threads("count/staged-misses"));
  counters::counter staged(threads("count/instantaneous/staged"));
  treadle::promise<int> a, b;
  auto node = treadle::dataflow(
      treadle::launch::sync, [](auto x, auto y) { return x.get() + y.get(); }, a.get_future(), b.get_future());
  auto after = node.then(treadle::launch::sync, [](auto x) { return x.get() + 1; });
  EXPECT_EQ(staged.value(), 2);
  EXPECT_EQ(all.value(), 2);
  EXPECT_EQ(accesses.value(), 1);
  EXPECT_EQ(misses.value(), 1);
  a.set_value(1);
  EXPECT_EQ(accesses.value(), 2);
  EXPECT_EQ(misses.value(), 2);
  b.set_value(2);
  EXPECT_EQ(after.get(), 4);
  EXPECT_EQ(accesses.value(), 4); // the node once more, and the continuation
  EXPECT_EQ(misses.value(), 2);
  EXPECT_EQ(staged.value(), 0);
  EXPECT_EQ(direct.value(), 2);
  EXPECT_EQ(executed.value(), 2);
  EXPECT_EQ(created.value(), 0);
}

class critical_tasks : public testing::TestWithParam<const char*> {};

TEST_P(critical_tasks, are_counted_apart_from_others) {
  treadle::runtime runtime({.workers = 2, .pools = GetParam()});
  constexpr int k_critical = 20, k_others = 100;
  constexpr double k_ns = 100'000;
  const treadle::pool_executor critical("urgent", treadle::priority::critical), other("urgent");
  std::vector<treadle::future<void>> all;
  for (int i = 0; i < k_critical; ++i)
    all.push_back(treadle::async(critical, [] { treadle::testing::spin_for(std::chrono::nanoseconds(100'000)); }));
  for (int i = 0; i < k_others; ++i) all.push_back(treadle::async(other, [] {}));
  treadle::wait_all(all);
  runtime.wait_idle();
  for (const char* instance : {"locality#0/total", "locality#0/pool#urgent/total"}) {
    const auto read = [&](const char* name) { return counters::counter(threads(name, instance)).value(); };
    EXPECT_EQ(read("count/critical"), k_critical);
    EXPECT_GE(read("time/average-critical"), k_ns);
    EXPECT_GE(read("time/cumulative-critical"), k_critical * k_ns);
    EXPECT_GE(read("time/cumulative"), k_critical * k_ns / 2); // management, which is estimated, does not swallow it
    EXPECT_GE(read("wait-time/pending-critical"), 0);
    EXPECT_GE(read("wait-time/pending-other"), 0);
    EXPECT_GE(read("wait-time/pending"), 0);
  }
  EXPECT_EQ(counters::counter(threads("count/critical", "locality#0/pool#default/total")).value(), 0);
}

TEST_P(critical_tasks, are_staged_in_their_own_pool) {
  treadle::runtime runtime({.workers = 2, .pools = GetParam()});
  const auto staged = [](const char* pool) {
    return counters::counter(threads("count/instantaneous/staged", std::string("locality#0/pool#") + pool + "/total"))
        .value();
  };
  treadle::promise<int> input;
  const treadle::shared_future<int> ready = input.get_future();
  std::vector<treadle::future<int>> nodes;
  treadle::async([&] { // in the default pool
    for (int i = 0; i < 10; ++i)
      nodes.push_back(treadle::dataflow(
          treadle::pool_executor("urgent", treadle::priority::critical), [](auto x) { return x.get(); }, ready));
  })
      .get();
  EXPECT_EQ(staged("urgent"), 10);
  EXPECT_EQ(staged("default"), 0);
  treadle::testing::spin_for(std::chrono::nanoseconds(50'000));
  treadle::async([&] { input.set_value(7); }).get(); // there, too
  for (auto& node : nodes) EXPECT_EQ(node.get(), 7);
  EXPECT_EQ(staged("urgent"), 0);
  EXPECT_EQ(staged("default"), 0);
  const auto waited = [](const char* name) {
    return counters::counter(threads(name, "locality#0/pool#urgent/total")).value();
  };
  EXPECT_GE(waited("wait-time/staged-critical"), 50'000);
  EXPECT_GE(waited("wait-time/staged"), 50'000);
}

INSTANTIATE_TEST_SUITE_P(pools, critical_tasks,
                         testing::Values("urgent:1", "urgent:1:exclusive", "urgent:1:policy=local-priority-fifo",
                                         "urgent:1:policy=critical-path", "urgent:1:policy=shared-priority"));

TEST_P(thread_counters_test, workers_add_up_to_the_total) {
  for (const char* name : {"count/cumulative", "count/cumulative-phases", "count/inlined", "count/promoted",
                           "count/suspensions", "count/stolen-to-pending", "count/stolen-from-pending"}) {
    counters::counter total(threads(name));
    counters::group workers({threads(name, "locality#0/worker-thread#*")});
    counters::group of_pool({threads(name, "locality#0/pool#default/worker-thread#*")});
    EXPECT_EQ(workers.size(), GetParam());
    EXPECT_EQ(of_pool.size(), GetParam());
    treadle::async([] {
      treadle::for_loop(treadle::par.with(treadle::static_chunk_size{1}), 0, 50,
                        [](int) { treadle::async([] {}).get(); });
    }).get();
    runtime.wait_idle();
    const auto [all, by_worker, by_worker_of_pool] =
        at_one_time([&] { return std::array{total.value(), sum(workers), sum(of_pool)}; });
    EXPECT_EQ(all, by_worker) << name;
    EXPECT_EQ(all, by_worker_of_pool) << name;
  }
}

TEST_P(thread_counters_test, what_is_stolen_is_taken_from_somebody) {
  counters::counter to(threads("count/stolen-to-pending")), from(threads("count/stolen-from-pending"));
  counters::group over({threads("count/stolen/*")});
  for (int i = 0; i < 20; ++i) {
    treadle::async([] {
      treadle::for_loop(treadle::par.with(treadle::static_chunk_size{1}), 0, 50,
                        [](int) { treadle::this_task::yield(); });
    }).get();
  }
  runtime.wait_idle();
  const auto [taken, given, by_distance, in_statistics] = at_one_time([&] {
    return std::array{to.value(), from.value(), sum(over), static_cast<double>(runtime.statistics().tasks_stolen)};
  });
  EXPECT_EQ(taken, given);
  EXPECT_EQ(taken, by_distance);
  EXPECT_EQ(taken, in_statistics);
}

TEST_P(thread_counters_test, time_is_divided_without_rest) {
  counters::group times({threads("time/overall"), threads("time/cumulative"), threads("time/cumulative-overhead")});
  counters::group overheads(
      {threads("time/cumulative-management"), threads("time/cumulative-search"), threads("time/cumulative-parked")});
  constexpr double k_work_ns = 20e6;
  treadle::async([] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(static_cast<long>(k_work_ns));
    while (std::chrono::steady_clock::now() < end) {
    }
  }).get();
  runtime.wait_idle();
  // Readings are not of one moment: parts lie between what their sum was before and what it is after them.
  const auto first = times.read(), parts = overheads.read(), last = times.read();
  const double k_sampled = 1e6; // management is estimated, execution is what it leaves
  EXPECT_GE(first[1].value, k_work_ns - k_sampled);
  EXPECT_GE(first[1].value + first[2].value, first[0].value - k_sampled);
  EXPECT_LE(first[1].value + first[2].value, last[0].value + k_sampled);
  const double sum = parts[0].value + parts[1].value + parts[2].value;
  EXPECT_GE(sum, first[2].value - k_sampled);
  EXPECT_LE(sum, last[2].value + k_sampled);
}

TEST_P(thread_counters_test, idle_rate_is_a_percentage) {
  counters::counter idle_rate(threads("idle-rate")), parked(threads("time/cumulative-parked"));
  counters::counter overall(threads("time/overall"));
  while (!(parked.value() > 0.6 * overall.value())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(idle_rate.value(), 50);
  EXPECT_LE(idle_rate.value(), 100);
}

TEST_P(thread_counters_test, phases_by_duration) {
  counters::counter histogram(threads("time/phases"));
  for (int i = 0; i < 100; ++i) treadle::async([] {}).get();
  runtime.wait_idle();
  const auto reading = histogram.read();
  EXPECT_EQ(reading.ranges.size(), 40u);
  EXPECT_LE(reading.value, 100);
  EXPECT_GT(reading.value, 0);
}

TREADLE_ON_WORKERS(thread_counters_test);

TEST(thread_counters, without_a_runtime) {
  std::optional<treadle::runtime> runtime(std::in_place, treadle::runtime_options{.workers = 1});
  counters::counter executed(threads("count/cumulative"));
  counters::counter of_worker(threads("count/cumulative", "locality#0/worker-thread#0"));
  treadle::async([] {}).get();
  runtime.reset();
  EXPECT_THROW(executed.value(), std::runtime_error);
  EXPECT_NO_THROW(counters::counter(threads("count/cumulative", "locality#0/worker-thread#7")));
  runtime.emplace(treadle::runtime_options{.workers = 2});
  EXPECT_EQ(executed.value(), 0); // of the new runtime
  executed.reset();
  treadle::async([] {}).get();
  runtime->wait_idle();
  EXPECT_EQ(executed.value(), 1);
  runtime.reset();
  runtime.emplace(treadle::runtime_options{.workers = 1});
  for (int i = 0; i < 5; ++i) treadle::async([] {}).get();
  runtime->wait_idle();
  EXPECT_EQ(executed.value(), 5); // what it remembers is of a runtime that is gone
  runtime.reset();
  runtime.emplace(treadle::runtime_options{.workers = 2});
  EXPECT_THROW(counters::counter(threads("count/cumulative", "locality#0/worker-thread#7")), std::invalid_argument);
  EXPECT_EQ(counters::counter("/runtime/count/workers").value(), 2);
}

TEST(thread_counters, of_pools) {
  treadle::runtime runtime({.workers = 2, .pools = "io:1:exclusive"});
  counters::counter of_io(threads("count/cumulative", "locality#0/pool#io/worker-thread#0"));
  counters::counter of_default(threads("count/cumulative", "locality#0/pool#default/total"));
  counters::counter third(threads("count/cumulative", "locality#0/worker-thread#2"));
  treadle::async(treadle::pool_executor("io"), [] {}).get();
  runtime.wait_idle();
  EXPECT_EQ(of_io.value(), 1);
  EXPECT_EQ(third.value(), 1);
  EXPECT_EQ(of_default.value(), 0);
}

TEST(interval_sum, sums_what_is_open_too) {
  treadle::detail::interval_sum sum;
  EXPECT_EQ(sum.read(100), 0);
  sum.begin(100);
  EXPECT_TRUE(sum.is_open());
  EXPECT_EQ(sum.read(130), 30);
  EXPECT_EQ(sum.read(90), 0); // another core's clock
  sum.end(150);
  EXPECT_FALSE(sum.is_open());
  EXPECT_EQ(sum.read(1000), 50);
  sum.begin(200);
  sum.end(201);
  sum.begin(300);
  EXPECT_EQ(sum.read(302), 53);
}

TEST(cpu_distance, to_itself_and_to_nowhere) {
  using namespace treadle::detail;
  const int here = sched_getcpu();
  EXPECT_EQ(distance_between(here, here), cpu_distance::core);
  EXPECT_EQ(distance_between(here, -1), cpu_distance::machine);
  EXPECT_EQ(distance_between(here, 1 << 20), cpu_distance::machine);
}

} // namespace
