#include <treadle/observe/counters.hpp>
#include <treadle/observe/profile.hpp>
#include <treadle/treadle.hpp>

#include "base/file_text.hpp"
#include "base/rng.hpp"
#include "task/counters/profile_table.hpp"
#include "task/engine/comes_true.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <unistd.h>

namespace treadle {
namespace {

using namespace std::chrono_literals;
using detail::profile_field;
using clock = std::chrono::steady_clock;

std::map<std::string, task_profile> by_name(const profile& from) {
  std::map<std::string, task_profile> rows;
  for (const task_profile& row : from.rows()) rows[row.name] = row;
  return rows;
}

TEST(profile_table_test, ranges_are_a_quarter_wide) {
  detail::xorshift random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() >> (24 + random.below(40)));
    const unsigned range = profile_field::range_of(ns);
    ASSERT_LE(profile_field::lowest_ns(range), ns);
    ASSERT_GT(profile_field::lowest_ns(range + 1), ns);
    ASSERT_LE(profile_field::lowest_ns(range + 1),
              std::max<std::int64_t>(5 * profile_field::lowest_ns(range) / 4, 1 + ns));
  }
  EXPECT_EQ(profile_field::range_of(INT64_MAX), profile_field::k_all - 1);
  EXPECT_EQ(profile_field::range_of(-5), profile_field::first_range); // clocks of two cores
}

TEST(profile_table_test, is_bounded) {
  detail::profile_table table;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 1000; ++i) table.of("name " + std::to_string(i)).add(profile_field::tasks, 1);
  std::map<std::string, std::uint64_t> found;
  table.visit(
      [&](const detail::profile_entry& one) { found[std::string(one.name())] = one.read(profile_field::tasks); });
  EXPECT_EQ(found.size(), 193u);
  EXPECT_EQ(found["name 0"], 2u);
  EXPECT_EQ(found["(other names)"], 2u * (1000 - 192));
}

using profile_test = testing::on_workers;

TEST_P(profile_test, long_tasks_are_all_measured) {
  constexpr int k_tasks = 25;
  const profile found;
  clock::duration executed{0};
  for (int i = 0; i < k_tasks; ++i) {
    async(annotated(
              [&] {
                const auto begin = clock::now();
                testing::spin_for(300us);
                executed += clock::now() - begin;
              },
              "long one"))
        .get();
  }
  rt->wait_idle();
  const auto rows = by_name(found);
  ASSERT_TRUE(rows.contains("long one"));
  const task_profile& row = rows.at("long one");
  EXPECT_EQ(row.tasks, static_cast<std::uint64_t>(k_tasks));
  EXPECT_EQ(row.self_ns, row.total_ns);
  EXPECT_GE(row.total_ns, std::chrono::nanoseconds(executed).count() * 99 / 100);
  EXPECT_GE(row.min_ns, 240'000);
  EXPECT_LE(row.min_ns, row.p50_ns);
  EXPECT_LE(row.p50_ns, row.p99_ns);
  EXPECT_LE(row.p99_ns, row.max_ns);
}

void make_in_turns(int tasks) {
  for (int i = 0; i < tasks / 2; ++i) {
    auto even = async(annotated([] {}, "even"));
    auto odd = async(annotated([] {}, "odd"));
    odd.get();
    even.get();
  }
}

TEST_P(profile_test, short_tasks_that_come_in_turns_are_told_apart) {
  constexpr int k_tasks = 400'000;
  const profile found;
  async(annotated([] { make_in_turns(k_tasks); }, "maker")).get();
  rt->wait_idle();
  auto rows = by_name(found);
  // Two hundred samples of each at least: half or twice as many would be seven standard deviations.
  for (const char* name : {"even", "odd"}) {
    EXPECT_GE(rows[name].tasks, k_tasks / 4u) << name;
    EXPECT_LE(rows[name].tasks, k_tasks * 1u) << name;
  }
}

/// Whatever was drawn while tasks were short.
TEST_P(profile_test, long_tasks_behind_short_ones_are_found) {
  constexpr int k_long = 1500;
  for (const bool in_place : {false, true}) {
    async([] { make_in_turns(100'000); }).get();
    rt->wait_idle();
    const profile found; // what was before does not count
    const auto run_one = [] { return async(annotated([] { testing::spin_for(150us); }, "long")); };
    if (in_place)
      async([&] {
        for (int i = 0; i < k_long; ++i) run_one().get();
      }).get();
    else
      for (int i = 0; i < k_long; ++i) run_one().get();
    rt->wait_idle();
    const auto row = by_name(found)["long"];
    // All but the first dozens of each worker, of which one in 1024 counts as many.
    EXPECT_GE(row.tasks, k_long * 3u / 4) << in_place;
    EXPECT_LE(row.tasks, k_long + 5 * 1024u) << in_place;
    EXPECT_GE(row.p50_ns, 120'000);
  }
}

/// Runs as a part of the one whose value it continues, when that has ended and has no name any more.
TEST_P(profile_test, continuations_in_place_are_not_self) {
  constexpr int k_tasks = 20;
  const profile found;
  async([] {
    for (int i = 0; i < k_tasks; ++i) {
      testing::spin_for(300us);
      std::atomic<bool> is_awaited{false};
      auto first = async(annotated(
          [&] {
            while (!is_awaited) {
            }
            testing::spin_for(300us);
          },
          "first"));
      auto second =
          std::move(first).then(launch::sync, annotated([](future<void>) { testing::spin_for(600us); }, "second"));
      is_awaited = true;
      second.get();
    }
  }).get();
  rt->wait_idle();
  auto rows = by_name(found);
  EXPECT_EQ(rows["first"].tasks, static_cast<std::uint64_t>(k_tasks));
  EXPECT_EQ(rows["second"].tasks, static_cast<std::uint64_t>(k_tasks));
  EXPECT_EQ(rows["second"].self_ns, rows["second"].total_ns);
  EXPECT_NEAR(static_cast<double>(rows["first"].self_ns),
              static_cast<double>(rows["first"].total_ns - rows["second"].total_ns), 2);
}

/// Whose entries are left in the queue, and found there when somebody else has their wait.
TEST_P(profile_test, tasks_that_were_run_out_of_order_pass_no_wait_on) {
  const profile found;
  for (int round = 0; round < 200; ++round) {
    async([] {
      std::vector<future<void>> all;
      for (int i = 0; i < 40; ++i) all.push_back(async(annotated([] {}, "got")));
      for (auto& one : all) one.get(); // the oldest first
    }).get();
    async(annotated([] {}, "afterwards")).get();
  }
  rt->wait_idle();
  counters::counter pending("/threads/wait-time/pending");
  EXPECT_GE(pending.value(), 0);
  EXPECT_LT(pending.value(), 60e9);
  if (GetParam() == 1) { // each was run in place
    EXPECT_EQ(by_name(found)["got"].pending_ns, 0);
  }
}

TEST_P(profile_test, what_is_in_no_row_is_told) {
  const profile found;
  async([&] {
    testing::spin_for(20ms);
    EXPECT_EQ(found.rows().back().name, "(other)"); // this task has not ended
  }).get();
}

TEST_P(profile_test, what_is_run_in_place_is_not_self) {
  constexpr int k_tasks = 25;
  const profile found;
  async([] {
    for (int i = 0; i < k_tasks; ++i) {
      testing::spin_for(300us); // so that each is measured
      auto outer = async(annotated(
          [] {
            testing::spin_for(300us);
            async(launch::deferred, annotated([] { testing::spin_for(300us); }, "inner")).get(); // always in place
          },
          "outer"));
      outer.get();
    }
  }).get();
  rt->wait_idle();
  auto rows = by_name(found);
  EXPECT_EQ(rows["outer"].tasks, static_cast<std::uint64_t>(k_tasks));
  EXPECT_EQ(rows["inner"].tasks, static_cast<std::uint64_t>(k_tasks));
  EXPECT_EQ(rows["inner"].self_ns, rows["inner"].total_ns);
  EXPECT_NEAR(static_cast<double>(rows["outer"].self_ns),
              static_cast<double>(rows["outer"].total_ns - rows["inner"].total_ns), 2);
  EXPECT_GE(rows["outer"].self_ns, k_tasks * 295'000);
}

TEST_P(profile_test, suspended_tasks_take_no_time) {
  const profile found;
  for (int i = 0; i < 5; ++i) {
    promise<void> go;
    auto waits = async(annotated([wanted = go.get_future()]() mutable { wanted.get(); }, "waits"));
    counters::counter suspensions("/threads/count/instantaneous/suspended");
    ASSERT_TRUE(testing::comes_true([&] { return suspensions.value() > 0; }));
    std::this_thread::sleep_for(50ms);
    go.set_value();
    waits.get();
  }
  rt->wait_idle();
  const auto rows = by_name(found);
  EXPECT_EQ(rows.at("waits").tasks, 5u);
  EXPECT_LT(rows.at("waits").total_ns, 5 * 50'000'000);
}

TEST_P(profile_test, a_task_goes_on_on_a_fresh_stack) {
  const profile found;
  async(annotated([] { this_task::on_fresh_stack([] { testing::spin_for(5ms); }); }, "deep")).get();
  rt->wait_idle();
  const auto row = by_name(found).at("deep");
  EXPECT_EQ(row.tasks, 1u);
  EXPECT_GE(row.total_ns, 4'900'000);
  EXPECT_EQ(row.self_ns, row.total_ns);
}

TEST_P(profile_test, waits_have_names) {
  constexpr int k_tasks = 400;
  const profile found;
  promise<int> input;
  const shared_future<int> given = input.get_future().share();
  std::vector<future<int>> all;
  for (int i = 0; i < k_tasks; ++i) {
    // In turns: neither of them may be the one that is always stamped.
    all.push_back(dataflow(annotated([](shared_future<int> x) { return x.get(); }, i % 2 ? "left" : "right"), given));
  }
  async([&] { // all are ready here at once, and wait for this task
    input.set_value(3);
    testing::spin_for(2ms);
  })
      .get();
  for (auto& one : all) EXPECT_EQ(one.get(), 3);
  rt->wait_idle();
  const auto rows = by_name(found);
  for (const char* name : {"left", "right"}) {
    ASSERT_TRUE(rows.contains(name)) << name;
    EXPECT_GT(rows.at(name).staged_ns, 0) << name;
    EXPECT_GT(rows.at(name).pending_ns, 0) << name;
  }
}

TEST_P(profile_test, waits_that_end_outside_have_names) {
  const profile found;
  std::vector<promise<int>> inputs(200);
  std::vector<future<int>> all;
  for (auto& input : inputs)
    all.push_back(dataflow(annotated([](future<int> x) { return x.get(); }, "from outside"), input.get_future()));
  for (auto& input : inputs) input.set_value(1);
  for (auto& one : all) one.get();
  rt->wait_idle();
  EXPECT_GT(by_name(found).at("from outside").staged_ns, 0);
}

TEST_P(profile_test, counts_from_the_last_reset) {
  profile found;
  async(annotated([] { testing::spin_for(200us); }, "before")).get();
  rt->wait_idle();
  found.reset();
  async(annotated([] { testing::spin_for(200us); }, "after")).get();
  rt->wait_idle();
  const auto rows = by_name(found);
  EXPECT_FALSE(rows.contains("before"));
  EXPECT_EQ(rows.at("after").tasks, 1u);
  EXPECT_NE(profile_text(found.rows()).find("after"), std::string::npos);
}

TEST_P(profile_test, may_be_read_while_tasks_run) {
  const profile found;
  std::atomic<bool> ends{false};
  std::thread reader([&] {
    while (!ends)
      for (const auto& row : found.rows()) EXPECT_FALSE(row.name.empty());
  });
  for (int i = 0; i < 20; ++i) {
    const std::string name = "fib " + std::to_string(i);
    async(annotated([] { return testing::fib(15); }, name.c_str())).get();
  }
  rt->wait_idle();
  ends = true;
  reader.join();
}

void expect_parts_of_a_whole(const pool_profile& one) {
  EXPECT_GT(one.parallel_efficiency, 0);
  for (const double part : {one.parallel_efficiency, one.load_balance, one.scheduling, one.serialization}) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
  }
  EXPECT_NEAR(one.load_balance * one.scheduling * one.serialization, one.parallel_efficiency, 1e-9);
}

TEST_P(profile_test, efficiencies_of_pools) {
  const profile found;
  async([] { testing::fib(18); }).get();
  async([] { testing::spin_for(5ms); }).get();
  rt->wait_idle();
  const auto pools = found.pools();
  ASSERT_EQ(pools.size(), 1u);
  const pool_profile& one = pools.front();
  EXPECT_EQ(one.name, "default");
  EXPECT_GE(one.elapsed_ns, 5'000'000);
  EXPECT_GE(one.workers, 1);
  EXPECT_LE(one.workers, GetParam());
  expect_parts_of_a_whole(one);
  if (GetParam() == 1) {
    EXPECT_EQ(one.load_balance, 1);
  }
}

/// Of one pool, while `body` runs and until its workers have nothing to do.
template <class F>
pool_profile profiled(runtime& rt, F body) {
  const profile found;
  body();
  rt.wait_idle();
  const auto pools = found.pools();
  EXPECT_EQ(pools.size(), 1u);
  expect_parts_of_a_whole(pools.front());
  return pools.front();
}

/// One does all the work, and then all do the same.
TEST_P(profile_test, load_balance_of_known_loads) {
  const unsigned workers = GetParam();
  const pool_profile one = profiled(*rt, [] { async([] { testing::spin_for(50ms); }).get(); });
  EXPECT_GE(one.load_balance, 1.0 / workers - 1e-9);
  EXPECT_LE(one.load_balance, 1.0 / workers + (workers > 1 ? 0.3 : 0));
  const pool_profile all = profiled(*rt, [&] {
    std::atomic<unsigned> begun{0};
    std::vector<future<void>> tasks;
    for (unsigned i = 0; i < workers; ++i)
      tasks.push_back(async([&] { // each on a worker of its own
        for (++begun; begun < workers;) std::this_thread::yield();
        testing::spin_for(50ms);
      }));
    for (auto& task : tasks) task.get();
  });
  EXPECT_GT(all.load_balance, 0.55);
  EXPECT_GT(all.load_balance, workers > 1 ? one.load_balance : 0);
}

/// Workers that sleep for want of work are not the scheduler's fault.
TEST_P(profile_test, serialization_of_known_loads) {
  const pool_profile waits = profiled(*rt, [] {
    async([] { testing::spin_for(5ms); }).get();
    std::this_thread::sleep_for(300ms);
  });
  EXPECT_LT(waits.serialization, 0.6);
  EXPECT_LT(waits.parallel_efficiency, 0.6);
  const pool_profile works = profiled(*rt, [] { async([] { testing::spin_for(300ms); }).get(); });
  EXPECT_GT(works.serialization, waits.serialization);
}

/// Those that were there for a part of the time only, and worked as much as the one that was there for all of it.
TEST_P(profile_test, efficiencies_of_workers_that_come_and_go) {
  const profile found;
  std::vector<future<void>> all;
  for (unsigned i = 0; i < 4 * GetParam(); ++i) all.push_back(async([] { testing::spin_for(1ms); }));
  for (auto& one : all) one.get();
  rt->set_concurrency(1);
  EXPECT_TRUE(testing::comes_true([] { return testing::on_duty() == 1; }));
  std::this_thread::sleep_for(20ms);
  const auto pools = found.pools();
  expect_parts_of_a_whole(pools.front());
  if (GetParam() > 1) {
    EXPECT_LT(pools.front().workers, GetParam());
  }
  rt->set_concurrency(GetParam());
}

TREADLE_ON_WORKERS(profile_test);

TEST(profile_of_run, is_written_at_the_end_of_each) {
  const std::string folder = ::testing::TempDir() + "profile_of_run." + std::to_string(getpid());
  const std::string file = folder + "/run.csv";
  std::filesystem::create_directory(folder);
  for (int run = 0; run < 2; ++run) {
    runtime rt({.workers = 2, .profile_file = file});
    async(annotated([] { testing::spin_for(200us); }, "assemble, \"twice\"")).get();
  }
  std::string text;
  int files = 0;
  for (const auto& one : std::filesystem::directory_iterator(folder)) {
    text = detail::file_text(one.path().c_str());
    ++files;
  }
  EXPECT_EQ(files, 2);
  EXPECT_TRUE(text.starts_with("name,tasks,self_ns,total_ns,min_ns,p50_ns,p99_ns,max_ns,staged_ns,pending_ns\n"))
      << text;
  EXPECT_NE(text.find("\n\"assemble, \"\"twice\"\"\",1,"), std::string::npos) << text;
  std::filesystem::remove_all(folder);
}

TEST(profile_of_run, refuses_what_it_cannot_write) {
  try {
    runtime rt({.workers = 1, .profile_file = "profile.bin"});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("'profile.bin'"), std::string::npos);
  }
  try {
    runtime rt({.workers = 1, .profile_file = "/no such folder/profile.csv"});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("profile: cannot write '/no such folder/profile.csv'"), std::string::npos);
  }
}

TEST(profile_of_process, is_empty_without_a_runtime) {
  EXPECT_NE(profile_text(profile().rows()).find("name"), std::string::npos);
}

TEST(profile_of_process, outlives_runtimes) {
  const profile found;
  for (int i = 0; i < 3; ++i) {
    runtime rt({.workers = 2});
    async(annotated([] { testing::spin_for(200us); }, "again")).get();
    rt.wait_idle();
    EXPECT_EQ(by_name(found).at("again").tasks, 1u) << "of the present runtime";
  }
}

} // namespace
} // namespace treadle
