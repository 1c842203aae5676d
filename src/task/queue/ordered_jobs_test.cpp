#include "task/queue/ordered_jobs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace treadle::detail {
namespace {

struct numbered_job final : job {
  void run() noexcept override {}
  float path = 0;
  priority level = priority::normal;
  int number = 0;
};
struct worker_of_test {
  void begin_critical() noexcept { ++critical; }
  int critical = 0;
};

/// Beside a list that is searched from end to end.
RC_GTEST_PROP(ordered_jobs_test, hand_out_the_first_or_the_oldest_of_the_most_urgent, ()) {
  std::vector<numbered_job> all(60);
  std::vector<numbered_job*> expected;
  ordered_jobs jobs;
  worker_of_test by;
  int critical = 0;
  for (std::size_t next = 0; next < all.size() || !expected.empty();) {
    if (next < all.size() && (expected.empty() || *rc::gen::inRange(0, 3) != 0)) {
      numbered_job& one = all[next];
      one.number = static_cast<int>(next++);
      one.path = static_cast<float>(*rc::gen::inRange(0, 4)) * 1000;
      one.level = *rc::gen::element(priority::normal, priority::high, priority::critical);
      RC_ASSERT(jobs.push(&one, one.level, one.path));
      expected.push_back(&one);
      continue;
    }
    const bool oldest = *rc::gen::arbitrary<bool>();
    const auto first = std::max_element(expected.begin(), expected.end(), [&](auto* a, auto* b) {
      if (a->level != b->level) return a->level < b->level;
      if (!oldest && a->path != b->path) return a->path < b->path;
      return a->number > b->number;
    });
    RC_ASSERT((oldest ? jobs.pop_oldest(by) : jobs.pop(by)) == *first);
    critical += (*first)->level == priority::critical ? 1 : 0;
    expected.erase(first);
    RC_ASSERT(jobs.size() == expected.size());
  }
  RC_ASSERT(jobs.pop_oldest(by) == nullptr);
  RC_ASSERT(by.critical == critical);
}

/// One is before all others, and only now and then the oldest is asked for.
TEST(ordered_jobs_test, of_many_the_oldest_comes_out_as_well) {
  for (const int count : {2, 63, 64, 65, 122, 244, 1000}) {
    std::vector<numbered_job> others(static_cast<std::size_t>(count));
    ordered_jobs jobs;
    worker_of_test by;
    numbered_job old;
    jobs.push(&old, priority::normal, 1);
    for (numbered_job& one : others) jobs.push(&one, priority::normal, 1000);
    int asked = 0;
    for (const job* taken = nullptr; taken != &old && asked < 2 * count;) {
      for (int i = 0; i < 121; ++i) jobs.push(jobs.pop(by), priority::normal, 1000);
      job* const oldest = jobs.pop_oldest(by);
      ++asked;
      taken = oldest;
      if (oldest != &old) jobs.push(oldest, priority::normal, 1000);
    }
    EXPECT_LE(asked, 2 + count / 32) << count;
  }
}

} // namespace
} // namespace treadle::detail
