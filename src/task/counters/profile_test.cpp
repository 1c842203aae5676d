#include <treadle/observe/counters.hpp>
#include <treadle/observe/profile.hpp>
#include <treadle/treadle.hpp>

#include "base/file_text.hpp"
#include "base/rng.hpp"
#include "task/counters/profile_table.hpp"
#include "task/engine/comes_true.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace treadle {
namespace {

using namespace std::chrono_literals;
using detail::profile_field;
using clock = std::chrono::steady_clock;

void work_for(std::chrono::nanoseconds time) {
  for (const auto end = clock::now() + time; clock::now() < end;) {
  }
}

std::map<std::string, task_profile> by_name(const profile& from) {
  std::map<std::string, task_profile> rows;
  for (const task_profile& row : from.rows()) rows[row.name] = row;
  return rows;
}

TEST(profile_table_test, ranges_are_a_fifth_wide) {
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
                work_for(300us);
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
  EXPECT_FALSE(rows.contains("(not measured)"));
}

TEST_P(profile_test, short_tasks_that_come_in_turns_are_told_apart) {
  constexpr int k_tasks = 400'000;
  const profile found;
  async(annotated(
            [] {
              for (int i = 0; i < k_tasks / 2; ++i) {
                auto even = async(annotated([] {}, "even"));
                auto odd = async(annotated([] {}, "odd"));
                odd.get();
                even.get();
              }
            },
            "maker"))
      .get();
  rt->wait_idle();
  auto rows = by_name(found);
  // Some hundred samples of each at least: half or twice as many would be ten standard deviations.
  for (const char* name : {"even", "odd"}) {
    EXPECT_GE(rows[name].tasks, k_tasks / 4u) << name;
    EXPECT_LE(rows[name].tasks, k_tasks * 1u) << name;
  }
  EXPECT_LE(rows["odd"].self_ns, rows["odd"].total_ns);
}

TEST_P(profile_test, what_is_run_in_place_is_not_self) {
  constexpr int k_tasks = 25;
  const profile found;
  async([] {
    for (int i = 0; i < k_tasks; ++i) {
      work_for(300us); // so that each is measured
      auto outer = async(annotated(
          [] {
            work_for(300us);
            async(launch::deferred, annotated([] { work_for(300us); }, "inner")).get(); // always in place
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
  async(annotated([] { this_task::on_fresh_stack([] { work_for(5ms); }); }, "deep")).get();
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
    work_for(2ms);
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
  async(annotated([] { work_for(200us); }, "before")).get();
  rt->wait_idle();
  found.reset();
  async(annotated([] { work_for(200us); }, "after")).get();
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

TREADLE_ON_WORKERS(profile_test);

TEST(profile_of_run, is_written_at_the_end) {
  const std::string file = ::testing::TempDir() + "profile_of_run.csv";
  std::remove(file.c_str());
  {
    runtime rt({.workers = 2, .profile_file = file});
    async(annotated([] { work_for(200us); }, "assemble, \"twice\"")).get();
  }
  const std::string text = detail::file_text(file.c_str());
  EXPECT_TRUE(text.starts_with("name,tasks,self_ns,total_ns,min_ns,p50_ns,p99_ns,max_ns,staged_ns,pending_ns\n"))
      << text;
  EXPECT_NE(text.find("\n\"assemble, \"\"twice\"\"\",1,"), std::string::npos) << text;
  std::remove(file.c_str());
}

TEST(profile_of_run, refuses_what_it_cannot_write) {
  try {
    runtime rt({.workers = 1, .profile_file = "profile.bin"});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("'profile.bin'"), std::string::npos);
  }
  ::testing::internal::CaptureStderr();
  {
    runtime rt({.workers = 1, .profile_file = "/no such folder/profile.csv"});
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("profile: cannot write '/no such folder/profile.csv'"),
            std::string::npos);
}

TEST(profile_of_process, is_empty_without_a_runtime) {
  EXPECT_NE(profile_text(profile().rows()).find("name"), std::string::npos);
}

TEST(profile_of_process, outlives_runtimes) {
  const profile found;
  for (int i = 0; i < 3; ++i) {
    runtime rt({.workers = 2});
    async(annotated([] { work_for(200us); }, "again")).get();
    rt.wait_idle();
    EXPECT_EQ(by_name(found).at("again").tasks, 1u) << "of the present runtime";
  }
}

} // namespace
} // namespace treadle
