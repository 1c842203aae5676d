#include "algorithm/sorting_fixture.hpp"

#include <treadle/algorithm/merge.hpp>
#include <treadle/algorithm/set_operations.hpp>

#include <rapidcheck.h>

#include <forward_list>
#include <list>

namespace treadle {
namespace {

class merge_test : public sorting_test {};
TREADLE_ON_WORKERS(merge_test);

struct item {
  int key;
  int origin;
  bool operator==(const item&) const = default;
};
constexpr auto by_key = [](const item& a, const item& b) { return a.key < b.key; };

std::vector<item> sorted_items(const std::vector<int>& keys, int origin) {
  std::vector<item> made;
  for (int key : keys) made.push_back({key, origin});
  std::sort(made.begin(), made.end(), by_key);
  for (std::size_t i = 0; i != made.size(); ++i) made[i].origin += static_cast<int>(i);
  return made;
}

constexpr int k_second = 1'000'000'000;

/// check(a, b) for sorted arrays of different sizes and with different overlap.
template <class Check>
void with_pairs(const Check& check) {
  for (const auto& [m, n] : {std::pair{0u, 0u},
                             {0u, 10u},
                             {10u, 0u},
                             {1u, 1u},
                             {100u, 100u},
                             {0u, 20'000u},
                             {20'000u, 1u},
                             {4000u, 97u},
                             {15'000u, 25'000u}}) {
    const auto left = sorting_inputs(m, 1), right = sorting_inputs(n, 2);
    for (std::size_t i = 0; i < left.size(); i += detail::k_sanitized ? 3 : 1) {
      check(sorted_items(left[i], 0), sorted_items(right[i], k_second));
      check(sorted_items(left[i], 0), sorted_items(right[(i + 1) % right.size()], k_second));
    }
  }
}

/// The same with one of the set operations or merge, ours and the standard library's.
template <class Ours, class Theirs>
void expect_same_results(const Ours& ours, const Theirs& theirs) {
  with_pairs([&](const std::vector<item>& a, const std::vector<item>& b) {
    std::vector<item> expected;
    theirs(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), by_key);
    const auto check = [&](const auto& policy) {
      std::vector<item> out(expected.size()); // no room for anything that is not wanted
      const auto end = ours(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), by_key);
      ASSERT_EQ(end, out.end());
      ASSERT_EQ(out, expected);
    };
    async([&] {
      check(seq);
      check(par);
    }).get();
    check(par_unseq);
  });
}

#define TREADLE_SAME(name)                                                                                             \
  expect_same_results([](auto&&... arguments) { return treadle::name(arguments...); },                                 \
                      [](auto&&... arguments) { return std::name(arguments...); })

TEST_P(merge_test, merge) { TREADLE_SAME(merge); }
TEST_P(merge_test, set_union) { TREADLE_SAME(set_union); }
TEST_P(merge_test, set_intersection) { TREADLE_SAME(set_intersection); }
TEST_P(merge_test, set_difference) { TREADLE_SAME(set_difference); }
TEST_P(merge_test, set_symmetric_difference) { TREADLE_SAME(set_symmetric_difference); }

TEST_P(merge_test, includes) {
  with_pairs([&](const std::vector<item>& a, const std::vector<item>& b) {
    std::vector<item> both, some;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), by_key);
    for (std::size_t i = 0; i < a.size(); i += 3) some.push_back(a[i]);
    with_policies([&](const auto& policy) {
      ASSERT_EQ(includes(policy, a, b, by_key), std::includes(a.begin(), a.end(), b.begin(), b.end(), by_key));
      ASSERT_TRUE(includes(policy, both, b, by_key));
      ASSERT_TRUE(includes(policy, a, some, by_key));
      ASSERT_EQ(includes(policy, b.begin() + !b.empty(), b.end(), b.begin(), b.end(), by_key), b.empty());
    });
  });
}

TEST_P(merge_test, inplace_merge) {
  with_pairs([&](const std::vector<item>& a, const std::vector<item>& b) {
    std::vector<item> input = a, expected;
    input.insert(input.end(), b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), by_key);
    with_policies([&](const auto& policy) {
      auto values = input;
      inplace_merge(policy, values, values.begin() + static_cast<std::ptrdiff_t>(a.size()), by_key);
      ASSERT_EQ(values, expected);
    });
  });
}

TEST_P(merge_test, inplace_merge_of_what_only_moves_and_exceptions) {
  for (const std::size_t n : {10u, 20'000u}) {
    for (const auto& keys : sorting_inputs(n)) {
      for (const long call : {1L, 14L, 30L, static_cast<long>(n / 2), static_cast<long>(n * 2)}) {
        auto sorted = keys;
        const auto middle = static_cast<std::ptrdiff_t>(n / 3);
        std::sort(sorted.begin(), sorted.begin() + middle);
        std::sort(sorted.begin() + middle, sorted.end());
        auto values = moving_keys(sorted);
        bool thrown = false;
        try {
          async([&] { inplace_merge(par, values, values.begin() + middle, failing_less(call)); }).get();
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        std::vector<int> left;
        for (const auto& value : values) left.push_back(value.key());
        ASSERT_TRUE(thrown || std::is_sorted(left.begin(), left.end()));
        std::sort(left.begin(), left.end());
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(left, sorted);
      }
    }
  }
  EXPECT_EQ(moving_key::alive, 0);
}

TEST_P(merge_test, strings_between_different_containers) {
  std::vector<std::string> a, b, expected;
  for (int i = 0; i != 20'000; ++i) {
    (i % 3 == 0 ? a : b).push_back("a string that is not short " + std::to_string(100'000 + i));
    if (i % 5 == 1) b.push_back(b.back());
  }
  std::sort(b.begin(), b.end());
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
  std::vector<std::string> out(expected.size());
  async([&] {
    set_symmetric_difference(par, a, b, out.begin());
    EXPECT_EQ(out, expected);
    std::list<std::string> list(a.begin(), a.end());
    out.clear();
    set_symmetric_difference(par, list, b, std::back_inserter(out));
    EXPECT_EQ(out, expected);
    const std::forward_list<std::string> forward(a.begin(), a.end());
    EXPECT_TRUE(includes(par, forward, list));
    out.assign(a.size() + b.size(), {});
    EXPECT_EQ(merge(par, list, b, out.begin()), out.end());
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  }).get();
}

TEST_P(merge_test, exceptions_are_rethrown) {
  const auto keys = sorting_inputs(40'000)[3];
  std::vector<std::string> a, b;
  for (int key : keys) a.push_back(std::to_string(1'000'000 + key)), b.push_back(std::to_string(1'000'001 + key));
  for (const long call : {1L, 1000L, 30'000L}) {
    std::vector<std::string> out(a.size() + b.size());
    async([&] {
      EXPECT_THROW(merge(par, a, b, out.begin(), failing_less(call)), std::runtime_error);
      EXPECT_THROW(set_union(par, a, b, out.begin(), failing_less(call)), std::runtime_error);
      EXPECT_THROW(set_intersection(par, a, b, out.begin(), failing_less(call)), std::runtime_error);
      EXPECT_THROW(set_difference(par, a, b, out.begin(), failing_less(call)), std::runtime_error);
      EXPECT_THROW(includes(par, a, a, failing_less(call)), std::runtime_error);
    }).get();
  }
}

TEST_P(merge_test, random_sets) {
  rc::check([](std::vector<std::uint16_t> a, std::vector<std::uint16_t> b, std::uint8_t copies) {
    for (auto* keys : {&a, &b}) {
      const auto once = *keys;
      for (unsigned i = 0; i != copies; ++i) keys->insert(keys->end(), once.begin(), once.end());
      for (std::size_t i = 0; i != keys->size(); ++i) (*keys)[i] = static_cast<std::uint16_t>((*keys)[i] + i % 7);
      std::sort(keys->begin(), keys->end());
    }
    std::vector<std::uint16_t> expected, out(a.size() + b.size());
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    async([&] { out.erase(set_difference(par, a, b, out.begin()), out.end()); }).get();
    RC_ASSERT(out == expected);
  });
}

TEST_P(merge_test, asynchronous) {
  const auto a = sorting_inputs(10'000)[3];
  std::vector<int> out(2 * a.size());
  future<std::vector<int>::iterator> end = merge(par(task), a, a, out.begin());
  EXPECT_EQ(end.get(), out.end());
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  std::vector<int> common(a.size());
  EXPECT_EQ(set_intersection(par(task), a, out, common.begin()).get(), common.end());
  EXPECT_TRUE(includes(par(task), a, a).get());
}

} // namespace
} // namespace treadle
