// The result is that of std::stable_sort, whatever the values, the cut-off, the configuration and the workers.
#include "common/configurations_fixture.hpp"
#include "merge_sort/merge_sort.hpp"
#include "merge_sort/numbers.hpp"

#include <treadle/async.hpp>
#include <treadle/detail/config.hpp>
#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>
#include <stdexcept>
#include <vector>

namespace {

using namespace merge_sort;

constexpr unsigned k_workers[] = {1, 2, 4};
constexpr unsigned k_many = treadle::detail::k_sanitized ? 101 : 1000; // a stack costs much more there

/// Equal to others that differ, to see whether they keep their order.
struct card {
  int value;
  std::size_t place;
  friend bool operator<(const card& a, const card& b) { return a.value < b.value; }
  friend bool operator==(const card&, const card&) = default;
};

/// Refuses to be compared with what is more than 100.
struct touchy {
  int value;
  friend bool operator<(const touchy& a, const touchy& b) {
    if (a.value > 100 || b.value > 100) throw std::runtime_error("do not compare me");
    return a.value < b.value;
  }
};

template <class T>
void expect_sorted(const std::vector<T>& values, const settings& how) {
  std::vector<T> expected = values;
  std::stable_sort(expected.begin(), expected.end());
  EXPECT_TRUE(sort(values, how) == expected) << values.size() << " values, cut-off " << how.cut_off;
}

std::vector<card> cards(const std::vector<int>& values) {
  std::vector<card> made;
  for (const int value : values) made.push_back({value, made.size()});
  return made;
}

/// check(settings) in a task, under every configuration.
void with_configurations(const auto& check) {
  apps::with_configurations(k_workers, [&](const apps::configuration& how) {
    const settings given{.launch = launchers_of(how)};
    treadle::async([&] { check(given); }).get();
    treadle::runtime::current().wait_idle(); // nothing refers to the settings any more
  });
}

} // namespace

TEST(merge_sort, sorts_as_stable_sort_does) {
  with_configurations([](settings how) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 100U, k_many}) {
      for (const std::size_t cut_off : {1U, 2U, 3U, 50U}) {
        how.cut_off = cut_off;
        std::vector<int> values = random_numbers(n, n + cut_off);
        expect_sorted(values, how);
        std::sort(values.begin(), values.end());
        expect_sorted(values, how);
        std::reverse(values.begin(), values.end());
        expect_sorted(values, how);
        std::fill(values.begin(), values.end(), 3);
        expect_sorted(cards(values), how);
      }
    }
  });
}

TEST(merge_sort, sorts_whatever_the_values) {
  with_configurations([](settings how) {
    EXPECT_TRUE(rc::check([&] {
      how.cut_off = *rc::gen::inRange<std::size_t>(1, 20);
      expect_sorted(cards(*rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10))), how);
      expect_sorted(*rc::gen::arbitrary<std::vector<int>>(), how);
      RC_ASSERT(!testing::Test::HasFailure());
    }));
  });
}

TEST(merge_sort, an_exception_arrives) {
  with_configurations([](const settings& how) {
    for (const std::size_t bad : {0U, 1U, k_many / 2, k_many - 1}) {
      std::vector<touchy> values(k_many, touchy{7});
      values[bad].value = 101;
      EXPECT_THROW(sort(values, how), std::runtime_error);
    }
  });
}
