#include "algorithm/sorting_fixture.hpp"

#include <treadle/algorithm/nth_element.hpp>
#include <treadle/algorithm/sort.hpp>

#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <span>

namespace treadle {
namespace {

class sort_test : public sorting_test {};
TREADLE_ON_WORKERS(sort_test);

template <class Range>
concept sortable = requires(Range&& range) { treadle::sort(par, std::forward<Range>(range)); };
static_assert(sortable<std::vector<int>&> && sortable<std::span<int>> && sortable<int (&)[3]>);
static_assert(!sortable<std::vector<int>> && !sortable<const std::vector<int>&&> && !sortable<int>);

TEST_P(sort_test, as_the_standard_library) {
  for (const std::size_t n : sorting_sizes) {
    for (const auto& input : sorting_inputs(n)) {
      auto expected = input;
      std::sort(expected.begin(), expected.end());
      with_policies([&](const auto& policy) {
        auto values = input;
        sort(policy, values.begin(), values.end());
        ASSERT_EQ(values, expected);
        values = input;
        sort(policy, values, [](int a, int b) { return a < b; });
        ASSERT_EQ(values, expected);
      });
    }
  }
}

TEST_P(sort_test, many_elements) {
  for (const auto& input : sorting_inputs(k_many)) {
    auto expected = input;
    std::sort(expected.begin(), expected.end());
    auto values = input;
    async([&] { sort(par, values); }).get();
    ASSERT_EQ(values, expected);
    values = input;
    sort(par, values, std::ranges::greater());
    std::reverse(expected.begin(), expected.end());
    ASSERT_EQ(values, expected);
  }
}

template <class T>
void check_numbers() {
  std::mt19937_64 random(sizeof(T));
  std::vector<T> input(20'000);
  for (T& value : input) {
    if constexpr (std::is_floating_point_v<T>)
      value = std::ldexp(static_cast<T>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 60) - 90);
    else
      value = static_cast<T>(random());
  }
  input[0] = std::numeric_limits<T>::lowest();
  input[1] = std::numeric_limits<T>::max();
  input[2] = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : T{0};
  auto expected = input, values = input;
  std::sort(expected.begin(), expected.end());
  sort(par, values);
  ASSERT_EQ(values, expected);
  values = input;
  nth_element(par, values, values.begin() + 777);
  ASSERT_EQ(values[777], expected[777]);
  sort(par, values, std::greater<T>());
  std::reverse(expected.begin(), expected.end());
  ASSERT_EQ(values, expected);
}

TEST_P(sort_test, all_numbers) {
  check_numbers<char>();
  check_numbers<std::int8_t>();
  check_numbers<std::uint8_t>();
  check_numbers<std::int16_t>();
  check_numbers<std::uint16_t>();
  check_numbers<std::int32_t>();
  check_numbers<std::uint32_t>();
  check_numbers<std::int64_t>();
  check_numbers<std::uint64_t>();
  check_numbers<long long>();
  check_numbers<unsigned long long>();
  check_numbers<float>();
  check_numbers<double>();
  check_numbers<long double>();
  check_numbers<wchar_t>();
}

/// Bits drawn at random (NaN of either sign, zeros of both), in ranges that differ in few digits or many.
template <class T>
void check_bits() {
  std::mt19937_64 random(sizeof(T));
  const auto in_bytes = [](T value) {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  };
  const auto fingerprint = [&](const std::vector<T>& values) {
    std::vector<std::array<unsigned char, sizeof(T)>> all;
    for (T value : values) all.push_back(in_bytes(value));
    std::sort(all.begin(), all.end());
    return all;
  };
  for (std::size_t n = 0; n < 3000; n += 1 + n / 4) {
    for (const unsigned kept_bits : {64U, 20U, 3U}) {
      std::vector<T> input(n);
      for (T& value : input) {
        std::array<std::uint64_t, 2> bits{random() >> (64 - kept_bits), random()};
        if (random() % 2) bits[0] = ~bits[0];
        std::memcpy(&value, bits.data(), sizeof value);
      }
      const bool is_ordered = std::none_of(input.begin(), input.end(), [](T value) { return value != value; });
      auto up = input, down = input;
      sort(seq, up);
      sort(par, down, std::greater<T>());
      ASSERT_EQ(fingerprint(up), fingerprint(input)) << n << " elements";
      ASSERT_EQ(fingerprint(down), fingerprint(input)) << n << " elements";
      if (!is_ordered) continue;
      ASSERT_TRUE(std::is_sorted(up.begin(), up.end())) << n << " elements";
      ASSERT_TRUE(std::is_sorted(down.begin(), down.end(), std::greater<T>())) << n << " elements";
    }
  }
}

TEST_P(sort_test, numbers_of_any_bits) {
  check_bits<char>();
  check_bits<std::int16_t>();
  check_bits<std::uint16_t>();
  check_bits<std::int32_t>();
  check_bits<std::uint32_t>();
  check_bits<std::int64_t>();
  check_bits<std::uint64_t>();
  check_bits<float>();
  check_bits<double>();
  check_bits<detail::uint128>();
}

/// Numbers that lie close together at a few places far from each other: their leading bits say little.
template <class T>
void check_clusters() {
  std::mt19937_64 random(sizeof(T));
  for (const std::size_t n : {1'023U, 1'024U, 1'025U, 3'000U, 65'536U, 100'000U}) {
    for (const unsigned own_bits : {1U, 8U, 12U, 20U, 33U}) {
      std::vector<T> values(n);
      for (std::size_t i = 0; i != n; ++i) {
        const auto place = static_cast<double>(i % 5) - 2;
        const auto distance = static_cast<double>(random() >> (64 - own_bits));
        values[i] =
            static_cast<T>(std::is_integral_v<T> ? place * 0x1p60 + distance : place * (1 + distance * 0x1p-52));
      }
      auto expected = values;
      std::sort(expected.begin(), expected.end());
      sort(par, values);
      ASSERT_EQ(values, expected) << n << " numbers, " << own_bits << " bits";
      sort(seq, values, std::greater<>());
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(values, expected) << n << " numbers, " << own_bits << " bits";
    }
  }
}

TEST_P(sort_test, numbers_with_equal_leading_bits) {
  check_clusters<std::int64_t>();
  check_clusters<double>();
  check_clusters<float>();
}

TEST_P(sort_test, zeros_of_both_signs_stay) {
  std::vector<double> values(5000);
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = i % 3 == 0 ? -0.0 : i % 3 == 1 ? 0.0 : -1.0 * static_cast<double>(i % 7);
  const auto negative_zeros = [&] {
    return std::count_if(values.begin(), values.end(), [](double x) { return x == 0 && std::signbit(x); });
  };
  const auto before = negative_zeros();
  sort(par, values);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_EQ(negative_zeros(), before);
}

TEST_P(sort_test, not_a_number_harms_only_the_order) {
  std::mt19937 random(3);
  std::vector<float> values(200'000);
  for (float& value : values) value = random() % 3 == 0 ? std::nanf("") : static_cast<float>(random());
  const auto numbers = [&] {
    std::vector<float> kept;
    std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](float x) { return x == x; });
    std::sort(kept.begin(), kept.end());
    return kept;
  };
  const auto before = numbers();
  async([&] { sort(par, values); }).get();
  EXPECT_EQ(numbers(), before);
}

TEST_P(sort_test, strings_structures_and_weaker_containers) {
  struct record {
    int key;
    double payload[12];
    bool operator<(const record& other) const { return key < other.key; }
  };
  for (const auto& keys : sorting_inputs(3000)) {
    std::vector<std::string> strings;
    std::vector<record> records;
    std::deque<int> deque(keys.begin(), keys.end());
    std::vector<bool> bits;
    for (int key : keys) {
      strings.push_back("a string that is not short " + std::to_string(key));
      records.push_back({key, {static_cast<double>(key)}});
      bits.push_back(key % 3 == 0);
    }
    async([&] {
      auto expected = strings;
      std::sort(expected.begin(), expected.end());
      sort(par, strings);
      ASSERT_EQ(strings, expected);
      sort(par, records);
      ASSERT_TRUE(std::is_sorted(records.begin(), records.end()));
      for (const record& r : records) ASSERT_EQ(r.payload[0], r.key);
      sort(par, deque);
      ASSERT_TRUE(std::is_sorted(deque.begin(), deque.end()));
      const auto ones = std::count(bits.begin(), bits.end(), true);
      sort(par, bits);
      ASSERT_TRUE(std::is_sorted(bits.begin(), bits.end()));
      ASSERT_EQ(std::count(bits.begin(), bits.end(), true), ones);
    }).get();
  }
  int array[] = {3, 1, 2};
  sort(seq, array, array + 3);
  EXPECT_TRUE(std::is_sorted(array, array + 3));
  sort(par, array, std::greater<>());
  EXPECT_EQ(array[0], 3);
}

TEST_P(sort_test, elements_that_only_move) {
  for (const auto& keys : sorting_inputs(5000)) {
    auto values = moving_keys(keys);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    async([&] { sort(par, values); }).get();
    for (std::size_t i = 0; i != keys.size(); ++i) ASSERT_EQ(values[i].key(), expected[i]);

    std::vector<ticket> tickets(keys.begin(), keys.end());
    nth_element(par, tickets, tickets.begin() + 10);
    ASSERT_EQ(tickets[10].key, expected[10]);
    sort(par, tickets);
    for (std::size_t i = 0; i != keys.size(); ++i) ASSERT_EQ(tickets[i].key, expected[i]);
  }
  EXPECT_EQ(moving_key::alive, 0);
}

TEST(sort_stack_test, bad_splits_fit_on_the_smallest_stack) {
  runtime rt({.workers = 2, .stack_bytes = (detail::k_sanitized ? 256 : 128) * 1024});
  std::vector<int> values(3'000'000);
  for (std::size_t i = 0; i != values.size(); ++i) values[i] = static_cast<int>(std::min(i, values.size() - i));
  async([&] { sort(par, values); }).get();
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

TEST_P(sort_test, random_arrays) {
  rc::check([](std::vector<int> values, bool shrink) {
    if (shrink) {
      for (int& v : values) v %= 5;
    }
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    async([&] { sort(par, values, [](int a, int b) { return a < b; }); }).get();
    RC_ASSERT(values == expected);
  });
}

TEST_P(sort_test, partial_sort) {
  for (const std::size_t n : {1u, 10u, 1000u, 30'000u}) {
    for (const auto& input : sorting_inputs(n)) {
      auto expected = input;
      std::sort(expected.begin(), expected.end());
      for (const std::size_t k : {std::size_t{0}, n / 3, n}) {
        with_policies([&](const auto& policy) {
          auto values = input;
          const auto middle = values.begin() + static_cast<std::ptrdiff_t>(k);
          partial_sort(policy, values, middle);
          ASSERT_TRUE(std::equal(values.begin(), middle, expected.begin()));
          sort(seq, values);
          ASSERT_EQ(values, expected);
        });
      }
    }
  }
}

TEST_P(sort_test, nth_element) {
  for (const std::size_t n : {1u, 2u, 24u, 25u, 1000u, 300'000u}) {
    for (const auto& input : some_sorting_inputs(n)) {
      auto expected = input;
      std::sort(expected.begin(), expected.end());
      for (const std::size_t k : {std::size_t{0}, n / 2, n - 1, n}) {
        auto values = input;
        const auto nth = values.begin() + static_cast<std::ptrdiff_t>(k);
        async([&] {
          k % 2 == 0 ? nth_element(par, values, nth)
                     : nth_element(par, values, nth, [](int a, int b) { return a < b; });
        }).get();
        if (k < n) {
          ASSERT_EQ(*nth, expected[k]);
          ASSERT_TRUE(std::all_of(values.begin(), nth, [&](int x) { return x <= *nth; }));
          ASSERT_TRUE(std::all_of(nth, values.end(), [&](int x) { return x >= *nth; }));
        }
        sort(seq, values);
        ASSERT_EQ(values, expected);
      }
    }
  }
}

TEST_P(sort_test, an_exception_loses_nothing) {
  for (const std::size_t n : {10u, 1000u, 300'000u}) {
    for (const auto& keys : some_sorting_inputs(n)) {
      for (const long call : {1L, 9L, static_cast<long>(n), static_cast<long>(3 * n)}) {
        auto expected = keys;
        std::sort(expected.begin(), expected.end());
        auto values = keys;
        bool thrown = false;
        try {
          async([&] { sort(par, values, failing_less(call)); }).get();
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        ASSERT_TRUE(thrown || std::is_sorted(values.begin(), values.end()));
        ASSERT_TRUE(call > 9 || thrown);
        sort(seq, values);
        ASSERT_EQ(values, expected);
        if (n > 1000) continue;
        auto moving = moving_keys(keys);
        try {
          async([&] { sort(par, moving, failing_less(call)); }).get();
        } catch (const std::runtime_error&) {
        }
        sort(seq, moving); // throws when some element is missing
        for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(moving[i].key(), expected[i]);
      }
    }
  }
  EXPECT_EQ(moving_key::alive, 0);
}

TEST_P(sort_test, an_order_that_is_none_harms_only_the_order) {
  for (const std::size_t n : {2u, 25u, 1000u, 200'000u}) {
    for (int kind = 0; kind != 4; ++kind) {
      std::vector<int> values(n);
      for (std::size_t i = 0; i != n; ++i) values[i] = static_cast<int>(i);
      std::atomic<unsigned> calls{0};
      const auto order = [&](int a, int b) {
        if (kind == 0) return true;
        if (kind == 1) return false;
        if (kind == 2) return a <= b;
        return (calls.fetch_add(1, std::memory_order_relaxed) * 2654435761u >> 16) % 2 == 0;
      };
      async([&] { sort(par, values, order); }).get();
      async([&] { nth_element(par, values, values.begin() + 1, order); }).get();
      sort(seq, values);
      for (std::size_t i = 0; i != n; ++i) ASSERT_EQ(values[i], static_cast<int>(i));
    }
  }
}

/// Answers so that each pivot turns out to be among the smallest (McIlroy, A Killer Adversary for Quicksort, 1999).
TEST_P(sort_test, comparisons_are_n_log_n_against_an_adversary) {
  constexpr int k_n = 20'000;
  std::vector<int> value(k_n, k_n), order(k_n);
  for (int i = 0; i != k_n; ++i) order[static_cast<std::size_t>(i)] = i;
  int solid = 0, candidate = 0;
  long comparisons = 0;
  const auto adversary = [&](int a, int b) {
    ++comparisons;
    auto &x = value[static_cast<std::size_t>(a)], &y = value[static_cast<std::size_t>(b)];
    if (x == k_n && y == k_n) (a == candidate ? x : y) = solid++;
    if (x == k_n)
      candidate = a;
    else if (y == k_n)
      candidate = b;
    return x < y;
  };
  sort(seq, order, adversary);
  EXPECT_LT(comparisons, 60L * k_n); // n log2(n) is 14 n
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](int a, int b) {
    return value[static_cast<std::size_t>(a)] < value[static_cast<std::size_t>(b)];
  }));
}

TEST_P(sort_test, asynchronous) {
  auto values = sorting_inputs(50'000)[0];
  future<void> done = sort(par(task), values);
  done.get();
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  sort(seq(task), values.begin(), values.end(), std::greater<>()).get();
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), std::greater<>()));
  nth_element(par(task), values, values.begin()).get();
  partial_sort(par(task), values, values.begin() + 10).get();
  EXPECT_TRUE(std::is_sorted(values.begin(), values.begin() + 10));
  EXPECT_THROW(sort(par(task), values, failing_less(5)).get(), std::runtime_error);
}

TEST_P(sort_test, work_is_shared) {
  if (GetParam() == 1) return;
  const auto before = rt->statistics().forks_promoted;
  auto values = sorting_inputs(k_many)[0];
  sort(par, values);
  EXPECT_GT(rt->statistics().forks_promoted, before);
}

} // namespace
} // namespace treadle
