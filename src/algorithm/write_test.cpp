#include "algorithm_fixture.hpp"

#include <algorithm>
#include <forward_list>
#include <list>
#include <memory>
#include <numeric>
#include <string>

namespace treadle {
namespace {

class write_test : public algorithm_test {};
TREADLE_ON_WORKERS(write_test);

TEST_P(write_test, each_element_once) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    const hiccup pause(59);
    std::vector<int> out = v;
    const auto add = [&](int& x) {
      pause();
      x += 10;
    };
    for_each(policy, out, add);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(out[i], v[i] + 10);
    const auto half = static_cast<std::ptrdiff_t>(v.size() / 2);
    ASSERT_EQ(for_each_n(policy, out.begin(), half, add), out.begin() + half);
    ASSERT_EQ(for_each_n(policy, out.begin(), -3, add), out.begin());
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(out[i], v[i] + (i < v.size() / 2 ? 20 : 10));
  });
}

TEST_P(write_test, transformations) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::vector<int> out(v.size()), expected(v.size());
    ASSERT_EQ(transform(policy, v, out.begin(), [](int x) { return 3 * x; }), out.end());
    std::transform(v.begin(), v.end(), expected.begin(), [](int x) { return 3 * x; });
    ASSERT_EQ(out, expected);
    ASSERT_EQ(transform(policy, v, out.begin(), out.begin(), [](int a, int b) { return a - b; }), out.end());
    for (int& x : expected) x = -x + x / 3;
    ASSERT_EQ(out, expected);
    ASSERT_EQ(adjacent_difference(policy, v, out.begin()), out.end());
    std::adjacent_difference(v.begin(), v.end(), expected.begin());
    ASSERT_EQ(out, expected);
  });
}

TEST_P(write_test, filling) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::vector<int> out = v;
    fill(policy, out, 4);
    ASSERT_EQ(out, std::vector<int>(v.size(), 4));
    ASSERT_EQ(fill_n(policy, out.begin(), v.size() / 2, 5), out.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
    ASSERT_EQ(fill_n(policy, out.begin(), -1, 6), out.begin());
    ASSERT_EQ(std::accumulate(out.begin(), out.end(), 0), static_cast<int>(v.size() * 4 + v.size() / 2));
    std::atomic<int> next{0};
    generate(policy, out, [&] { return next.fetch_add(1, std::memory_order_relaxed); });
    std::sort(out.begin(), out.end());
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i));
    ASSERT_EQ(generate_n(policy, out.begin(), v.size(), [] { return 9; }), out.end());
    ASSERT_EQ(out, std::vector<int>(v.size(), 9));
    iota(policy, out, 3);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i) + 3);
  });
}

TEST_P(write_test, copies) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::vector<int> out(v.size());
    ASSERT_EQ(copy(policy, v, out.begin()), out.end());
    ASSERT_EQ(out, v);
    fill(seq, out, 0);
    ASSERT_EQ(copy_n(policy, v.begin(), v.size(), out.begin()), out.end());
    ASSERT_EQ(copy_n(policy, v.begin(), -5, out.begin()), out.begin());
    ASSERT_EQ(out, v);
    std::vector<std::unique_ptr<int>> owners(v.size()), moved(v.size());
    std::transform(v.begin(), v.end(), owners.begin(), [](int x) { return std::make_unique<int>(x); });
    ASSERT_EQ(treadle::move(policy, owners, moved.begin()), moved.end());
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(*moved[i], v[i]);
    ASSERT_EQ(swap_ranges(policy, owners, moved), moved.end());
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_TRUE(*owners[i] == v[i] && !moved[i]);
    reverse(policy, owners);
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(*owners[i], v[v.size() - 1 - i]);
  });
}

TEST_P(write_test, replacements) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    const hiccup pause(47);
    const auto odd = [&](int x) {
      pause();
      return x % 2 == 1;
    };
    std::vector<int> out = v, expected = v;
    replace(policy, out, 1, 7);
    std::replace(expected.begin(), expected.end(), 1, 7);
    ASSERT_EQ(out, expected);
    replace_if(policy, out, odd, 8);
    std::replace_if(expected.begin(), expected.end(), odd, 8);
    ASSERT_EQ(out, expected);
    ASSERT_EQ(replace_copy(policy, v, out.begin(), 0, 5), out.end());
    std::replace_copy(v.begin(), v.end(), expected.begin(), 0, 5);
    ASSERT_EQ(out, expected);
    ASSERT_EQ(replace_copy_if(policy, v, out.begin(), odd, 6), out.end());
    std::replace_copy_if(v.begin(), v.end(), expected.begin(), odd, 6);
    ASSERT_EQ(out, expected);
  });
}

TEST_P(write_test, turned_round) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    for (std::size_t by : {std::size_t{0}, std::size_t{1}, v.size() / 3, v.size()}) {
      const auto middle = static_cast<std::ptrdiff_t>(std::min(by, v.size()));
      std::vector<int> in_place = v, out(v.size()), expected(v.size());
      std::rotate_copy(v.begin(), v.begin() + middle, v.end(), expected.begin());
      ASSERT_EQ(rotate_copy(policy, v, v.begin() + middle, out.begin()), out.end());
      ASSERT_EQ(out, expected);
      ASSERT_EQ(rotate(policy, in_place, in_place.begin() + middle), in_place.end() - middle);
      ASSERT_EQ(in_place, expected);
    }
    std::vector<int> out(v.size());
    ASSERT_EQ(reverse_copy(policy, v, out.begin()), out.end());
    ASSERT_TRUE(std::equal(v.begin(), v.end(), out.rbegin()));
  });
}

TEST_P(write_test, weaker_iterators) {
  std::list<int> l{1, 2, 3, 4, 5};
  reverse(par, l);
  EXPECT_EQ(l, (std::list<int>{5, 4, 3, 2, 1}));
  std::forward_list<int> f(l.begin(), l.end());
  EXPECT_EQ(rotate(par, f, std::next(f.begin(), 2)), std::next(f.begin(), 3));
  EXPECT_EQ(f, (std::forward_list<int>{3, 2, 1, 5, 4}));
  std::vector<int> out;
  copy(par, std::vector<int>{1, 2}, std::back_inserter(out));
  transform(par, l, f.begin(), std::back_inserter(out), [](int a, int b) { return 10 * a + b; });
  adjacent_difference(par, l, std::back_inserter(out));
  copy_n(par, l.begin(), 2, std::back_inserter(out));
  EXPECT_EQ(out, (std::vector<int>{1, 2, 53, 42, 31, 25, 14, 5, -1, -1, -1, -1, 5, 4}));
  EXPECT_EQ(fill_n(par, l.begin(), 2, 0), std::next(l.begin(), 2));
  EXPECT_EQ(l, (std::list<int>{0, 0, 3, 2, 1}));
}

} // namespace
} // namespace treadle
