#include "algorithm/sorting_fixture.hpp"

#include <treadle/algorithm/stable_sort.hpp>

#include <rapidcheck.h>

#include <cmath>
#include <deque>

namespace treadle {
namespace {

class stable_sort_test : public sorting_test {};
TREADLE_ON_WORKERS(stable_sort_test);

struct item {
  int key;
  int position;
  bool operator==(const item&) const = default;
};

std::vector<item> items(const std::vector<int>& keys) {
  std::vector<item> made;
  for (int key : keys) made.push_back({key, static_cast<int>(made.size())});
  return made;
}

constexpr auto by_key = [](const item& a, const item& b) { return a.key < b.key; };

TEST_P(stable_sort_test, as_the_standard_library) {
  for (const std::size_t n : sorting_sizes) {
    for (const auto& keys : sorting_inputs(n)) {
      auto expected = items(keys);
      std::stable_sort(expected.begin(), expected.end(), by_key);
      with_policies([&](const auto& policy) {
        auto values = items(keys);
        stable_sort(policy, values, by_key);
        ASSERT_EQ(values, expected);
      });
    }
  }
}

TEST_P(stable_sort_test, many_elements) {
  for (const auto& keys : sorting_inputs(k_many)) {
    auto expected = items(keys), values = expected;
    std::stable_sort(expected.begin(), expected.end(), by_key);
    async([&] { stable_sort(par, values.begin(), values.end(), by_key); }).get();
    ASSERT_EQ(values, expected);
  }
}

TEST_P(stable_sort_test, numbers) {
  auto integers = sorting_inputs(10'000)[0];
  auto expected = integers;
  std::stable_sort(expected.begin(), expected.end(), std::greater<>());
  stable_sort(par, integers, std::greater<>());
  EXPECT_EQ(integers, expected);

  std::vector<float> zeros(10'000);
  for (std::size_t i = 0; i != zeros.size(); ++i) zeros[i] = i % 5 == 0 ? 1.0f : i % 3 == 0 ? -0.0f : 0.0f;
  auto stable = zeros;
  std::stable_sort(stable.begin(), stable.end());
  stable_sort(par, zeros);
  for (std::size_t i = 0; i != zeros.size(); ++i) {
    ASSERT_EQ(zeros[i], stable[i]);
    ASSERT_EQ(std::signbit(zeros[i]), std::signbit(stable[i])) << i;
  }
}

TEST_P(stable_sort_test, strings_and_deques) {
  for (const auto& keys : sorting_inputs(5000)) {
    std::deque<std::string> values;
    for (int key : keys) values.push_back(std::to_string(key) + " with a tail");
    auto expected = values;
    std::stable_sort(expected.begin(), expected.end());
    async([&] { stable_sort(par, values); }).get();
    ASSERT_EQ(values, expected);
  }
}

TEST_P(stable_sort_test, elements_that_only_move) {
  for (const std::size_t n : {25u, 5000u}) {
    for (const auto& keys : sorting_inputs(n)) {
      auto values = moving_keys(keys);
      async([&] { stable_sort(par, values); }).get();
      for (std::size_t i = 1; i < n; ++i) {
        ASSERT_LE(values[i - 1].key(), values[i].key());
        ASSERT_TRUE(values[i - 1].key() < values[i].key() || values[i - 1].position() < values[i].position());
      }
      std::vector<ticket> tickets(keys.begin(), keys.end());
      stable_sort(par, tickets);
      ASSERT_TRUE(std::is_sorted(tickets.begin(), tickets.end()));
    }
  }
  EXPECT_EQ(moving_key::alive, 0);
}

TEST_P(stable_sort_test, elements_whose_move_may_throw) {
  struct careless {
    explicit careless(int k) : key(k) {}
    careless(careless&& other) noexcept(false) : key(other.key) {}
    careless& operator=(careless&& other) noexcept(false) {
      key = other.key;
      return *this;
    }
    int key;
  };
  std::vector<careless> values;
  const auto keys = sorting_inputs(1000)[0];
  for (int key : keys) values.emplace_back(key);
  stable_sort(par, values, [](const careless& a, const careless& b) { return a.key < b.key; });
  EXPECT_TRUE(
      std::is_sorted(values.begin(), values.end(), [](const careless& a, const careless& b) { return a.key < b.key; }));
}

TEST_P(stable_sort_test, an_exception_loses_nothing) {
  for (const std::size_t n : {10u, 1000u, 30'000u}) {
    for (const auto& keys : sorting_inputs(n)) {
      for (const long call : {1L, 9L, static_cast<long>(n), static_cast<long>(3 * n), static_cast<long>(10 * n)}) {
        auto values = moving_keys(keys);
        try {
          async([&] { stable_sort(par, values, failing_less(call)); }).get();
        } catch (const std::runtime_error&) {
        }
        std::vector<int> left;
        for (const auto& value : values) left.push_back(value.key()); // throws when one is missing
        auto expected = keys;
        std::sort(left.begin(), left.end());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(left, expected);
      }
    }
  }
  EXPECT_EQ(moving_key::alive, 0);
}

TEST_P(stable_sort_test, an_order_that_is_none_harms_only_the_order) {
  for (const std::size_t n : {2u, 25u, 1000u, 100'000u}) {
    for (int kind = 0; kind != 4; ++kind) {
      std::vector<int> values(n);
      for (std::size_t i = 0; i != n; ++i) values[i] = static_cast<int>(i);
      std::atomic<unsigned> calls{0};
      async([&] {
        stable_sort(par, values, [&](int a, int b) {
          if (kind == 0) return true;
          if (kind == 1) return false;
          if (kind == 2) return a <= b;
          return (calls.fetch_add(1, std::memory_order_relaxed) * 2654435761u >> 16) % 2 == 0;
        });
      }).get();
      std::sort(values.begin(), values.end());
      for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(values[i], static_cast<int>(i));
    }
  }
}

TEST_P(stable_sort_test, random_arrays) {
  rc::check([](const std::vector<std::uint8_t>& keys) {
    std::vector<item> values;
    for (int repeat = 0; repeat != 8; ++repeat) {
      for (int key : keys) values.push_back({key, static_cast<int>(values.size())});
    }
    auto expected = values;
    std::stable_sort(expected.begin(), expected.end(), by_key);
    async([&] { stable_sort(par, values, by_key); }).get();
    RC_ASSERT(values == expected);
  });
}

TEST_P(stable_sort_test, asynchronous) {
  auto values = items(sorting_inputs(30'000)[1]);
  stable_sort(par(task), values, by_key).get();
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), by_key));
}

} // namespace
} // namespace treadle
