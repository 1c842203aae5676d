#include "task/queue/deque.hpp"
#include "task/queue/injection_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

namespace treadle::detail {
namespace {

struct counting_job final : job {
  void run() noexcept override { ++runs; }
  std::atomic<int> runs{0};
};

// Any sequence of owner operations behaves as the same sequence on std::deque.
TEST(deque_test, agrees_with_a_simple_model) {
  const bool holds = rc::check([](const std::vector<std::uint8_t>& operations) {
    std::vector<std::unique_ptr<counting_job>> jobs;
    deque tested;
    std::deque<job*> model;
    for (std::uint8_t operation : operations) {
      if (operation < 150) {
        const int burst = operation < 3 ? 600 : 1; // sometimes past the initial capacity
        for (int i = 0; i < burst; ++i) {
          jobs.push_back(std::make_unique<counting_job>());
          tested.push(jobs.back().get());
          model.push_back(jobs.back().get());
        }
      } else if (operation < 210) {
        job* expected = model.empty() ? nullptr : model.back();
        if (expected) model.pop_back();
        if (operation % 2 != 0 && !jobs.empty()) { // any of them, most often not the newest
          job* const asked = expected && operation % 4 == 1 ? expected : jobs[operation % jobs.size()].get();
          RC_ASSERT(tested.pop_if(asked) == (asked == expected));
          if (asked != expected && expected) model.push_back(expected);
        } else {
          RC_ASSERT(tested.pop() == expected);
        }
      } else {
        job* expected = model.empty() ? nullptr : model.front();
        if (expected) model.pop_front();
        RC_ASSERT(tested.steal() == expected);
      }
      RC_ASSERT(tested.size() == static_cast<std::int64_t>(model.size()));
      RC_ASSERT(tested.empty() == model.empty());
    }
  });
  EXPECT_TRUE(holds);
}

TEST(deque_test, every_job_is_taken_exactly_once_under_theft) {
  constexpr int k_jobs = 60'000;
  std::vector<counting_job> jobs(k_jobs);
  deque tested;
  std::atomic<bool> done{false};
  std::atomic<int> taken{0};
  std::vector<std::thread> thieves;
  for (int t = 0; t < 3; ++t) {
    thieves.emplace_back([&] {
      while (!done || !tested.empty()) {
        if (job* j = tested.steal()) {
          j->run();
          ++taken;
        }
      }
    });
  }
  for (int i = 0; i < k_jobs; ++i) {
    tested.push(&jobs[static_cast<std::size_t>(i)]);
    if (i % 3 == 0) {
      job* const newest = &jobs[static_cast<std::size_t>(i)];
      if (job* j = i % 2 == 0 ? tested.pop() : tested.pop_if(newest) ? newest : nullptr) {
        j->run();
        ++taken;
      }
    }
  }
  while (job* j = tested.pop()) {
    j->run();
    ++taken;
  }
  done = true;
  for (auto& t : thieves) t.join();
  EXPECT_EQ(taken, k_jobs);
  for (const auto& j : jobs) ASSERT_EQ(j.runs, 1);
}

TEST(injection_queue_test, first_in_first_out_and_nothing_lost) {
  injection_queue queue;
  std::vector<counting_job> jobs(1000);
  for (auto& j : jobs) queue.push(&j);
  for (auto& j : jobs) EXPECT_EQ(queue.pop(), &j);
  EXPECT_EQ(queue.pop(), nullptr);

  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < jobs.size(); i += 2) queue.push(&jobs[i]);
    });
    threads.emplace_back([&] {
      while (taken < 1000) {
        if (job* j = queue.pop()) {
          j->run();
          ++taken;
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& j : jobs) EXPECT_EQ(j.runs, 1);
}

} // namespace
} // namespace treadle::detail
