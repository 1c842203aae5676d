#include <treadle/treadle.hpp>
#include <treadle/tune/explain.hpp>
#include <treadle/tune/inlining.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

namespace {

using treadle::async;
using treadle::decision_report;
using treadle::inlining_policy;
using treadle::launch;

/// What a site is called contains the name of the test it is in.
decision_report report_of(const std::string& part) {
  for (const decision_report& r : treadle::explain())
    if (r.present && r.instance.find(part) != std::string::npos) return r;
  return {};
}

class adaptive_site_test : public testing::Test {
 protected:
  adaptive_site_test() { treadle::use_inlining_policy(inlining_policy::adaptive); }
  ~adaptive_site_test() override { treadle::use_inlining_policy(inlining_policy::adaptive); }
};

TEST(inlining_policy, names_are_known) {
  for (const auto p : {inlining_policy::adaptive, inlining_policy::always_async, inlining_policy::always_inline,
                       inlining_policy::paper_baseline, inlining_policy::paper_adaptive})
    EXPECT_EQ(treadle::inlining_policy_from_name(treadle::to_string(p)), p);
  EXPECT_THROW(treadle::inlining_policy_from_name("fastest"), std::invalid_argument);
}

struct short_task {
  int operator()() const { return 1; }
};

TEST_F(adaptive_site_test, a_short_task_is_inlined_and_that_is_explained) {
  treadle::runtime runtime({.workers = 2});
  async([] {
    int sum = 0;
    for (int i = 0; i < 2000; ++i) sum += async(launch::adaptive, short_task()).get();
    EXPECT_EQ(sum, 2000);
    EXPECT_TRUE(async(launch::adaptive, short_task()).is_ready());
  }).get();
  const decision_report r = report_of("short_task");
  EXPECT_EQ(r.kind, "inlining");
  EXPECT_EQ(r.chosen, "inline");
  EXPECT_EQ(r.context, "2 workers");
  EXPECT_TRUE(r.present);
  EXPECT_NE(r.why.find(" calls"), std::string::npos) << r.why;
  EXPECT_NE(r.why.find("short"), std::string::npos) << r.why;
  EXPECT_GT(r.deciding_ns, 0);
}

TEST_F(adaptive_site_test, two_lambdas_of_a_function_have_two_names) {
  treadle::runtime runtime({.workers = 2});
  async([] {
    for (int i = 0; i < 20; ++i) {
      async(launch::adaptive, [] { return 1; }).get();
      async(launch::adaptive, [] { return 2; }).get();
    }
  }).get();
  std::set<std::string> names;
  for (const decision_report& r : treadle::explain())
    if (r.instance.find("two_lambdas_of_a_function") != std::string::npos) names.insert(r.name);
  EXPECT_EQ(names.size(), 2u);
}

long brief_function(long x) { return x + 1; }
long waiting_function(long x) {
  treadle::this_task::yield();
  return x;
}

TEST_F(adaptive_site_test, functions_of_one_type_are_two_places) {
  treadle::runtime runtime({.workers = 2});
  async([] {
    for (int i = 0; i < 300; ++i) {
      async(launch::adaptive, brief_function, 1L).get();
      async(launch::adaptive, &waiting_function, 1L).get();
    }
  }).get();
  const decision_report first = report_of("long int (*)(long int)"), second = report_of("(long int) #2");
  EXPECT_EQ(first.chosen, "inline") << first.why;
  EXPECT_EQ(second.chosen, "task") << second.why;
  EXPECT_NE(first.instance, second.instance);
}

struct waiting_task {
  void operator()() const { treadle::this_task::yield(); }
};

TEST_F(adaptive_site_test, a_task_that_waits_is_none) {
  treadle::runtime runtime({.workers = 2});
  async([] {
    for (int i = 0; i < 300; ++i) async(launch::adaptive, waiting_task()).get();
  }).get();
  EXPECT_EQ(report_of("waiting_task").chosen, "task");
  EXPECT_NE(report_of("waiting_task").why.find("waits"), std::string::npos);
}

struct alone_task {
  void operator()() const {
    volatile int sink = 0;
    for (int i = 0; i < 30'000; ++i) sink = sink + i;
  }
};

TEST_F(adaptive_site_test, with_one_worker_nobody_could_take_it) {
  treadle::runtime runtime({.workers = 1});
  async([] {
    for (int i = 0; i < 100; ++i) async(launch::adaptive, alone_task()).get();
    EXPECT_TRUE(async(launch::adaptive, alone_task()).is_ready());
  }).get();
  EXPECT_NE(report_of("alone_task").why.find("one worker"), std::string::npos);
}

struct task_of_main {
  int operator()() const { return 1; }
};

TEST_F(adaptive_site_test, threads_outside_see_the_workers_that_could_take_it) {
  treadle::runtime runtime({.workers = 2});
  for (int i = 0; i < 100; ++i) async(launch::adaptive, task_of_main()).get();
  EXPECT_EQ(report_of("task_of_main").context, "2 workers");
  EXPECT_EQ(report_of("task_of_main").why.find("one worker"), std::string::npos) << report_of("task_of_main").why;
}

struct chosen_task {
  int operator()() const { return 1; }
};

TEST_F(adaptive_site_test, another_number_of_workers_is_another_context_at_once) {
  treadle::runtime runtime({.workers = 2});
  struct middling_task {
    int operator()() const {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
      while (std::chrono::steady_clock::now() < end) {
      }
      return 1;
    }
  };
  const auto call = [](int times) {
    async([times] {
      for (int i = 0; i < times; ++i) async(launch::adaptive, middling_task()).get();
    }).get();
  };
  call(5000);
  const decision_report both = report_of("middling_task");
  EXPECT_EQ(both.context, "2 workers");
  runtime.set_concurrency(1);
  call(1100); // a sample, even where measuring has cost too much lately
  const decision_report one = report_of("middling_task");
  EXPECT_EQ(one.context, "1 worker");
  EXPECT_EQ(one.chosen, "inline");
  runtime.set_concurrency(2);
  call(1100);
  const decision_report again = report_of("middling_task");
  EXPECT_EQ(again.context, "2 workers");
  EXPECT_GE(again.windows, both.windows);
}

TEST_F(adaptive_site_test, the_policy_can_be_chosen) {
  treadle::runtime runtime({.workers = 2});
  const auto inlined_after = [](int calls) {
    return async([calls] {
             for (int i = 0; i < calls; ++i) async(launch::adaptive, chosen_task()).get();
             return report_of("chosen_task").chosen == "inline";
           })
        .get();
  };
  for (const auto& [policy, inlined] :
       {std::pair(inlining_policy::always_async, false), std::pair(inlining_policy::always_inline, true),
        std::pair(inlining_policy::paper_baseline, true), std::pair(inlining_policy::paper_adaptive, true),
        std::pair(inlining_policy::adaptive, true)}) {
    treadle::use_inlining_policy(policy);
    EXPECT_EQ(inlined_after(5000), inlined) << treadle::to_string(policy);
  }
}

TEST_F(adaptive_site_test, options_choose_unless_the_program_does_and_explain_at_the_end) {
  testing::internal::CaptureStderr();
  {
    treadle::runtime runtime({.workers = 2, .inlining = inlining_policy::always_async, .explain = true});
    async([] { async(launch::adaptive, chosen_task()).get(); }).get();
    EXPECT_EQ(report_of("chosen_task").why.find("always-async"), std::string::npos); // the fixture has chosen
  }
  const std::string table = testing::internal::GetCapturedStderr();
  EXPECT_NE(table.find("what was chosen; why"), std::string::npos) << table;
  EXPECT_NE(table.find("chosen_task"), std::string::npos) << table;
}

struct shared_task {
  int operator()() const { return 1; }
};

TEST_F(adaptive_site_test, many_threads_use_a_place_and_change_the_policy) {
  treadle::runtime runtime({.workers = 4});
  std::vector<treadle::future<int>> sums;
  for (int t = 0; t < 8; ++t) {
    sums.push_back(async([] {
      int sum = 0;
      for (int i = 0; i < 5000; ++i) sum += async(launch::adaptive, shared_task()).get();
      return sum;
    }));
  }
  for (int i = 0; i < 20; ++i) {
    treadle::use_inlining_policy(static_cast<inlining_policy>(i % 5));
    static_cast<void>(treadle::explain());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto& sum : sums) EXPECT_EQ(sum.get(), 5000);
}

} // namespace
