#include "algorithm_fixture.hpp"

#include <algorithm>
#include <forward_list>
#include <list>

namespace treadle {
namespace {

class search_test : public algorithm_test {};
TREADLE_ON_WORKERS(search_test);

TEST_P(search_test, finds_the_first_match) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    for (int wanted : {0, 1, 7, 500, 5000}) {
      const hiccup pause(37);
      const auto is_wanted = [&](int x) {
        pause();
        return x == wanted;
      };
      ASSERT_EQ(find(policy, v, wanted), std::find(v.begin(), v.end(), wanted));
      ASSERT_EQ(find_if(policy, v.begin(), v.end(), is_wanted), std::find(v.begin(), v.end(), wanted));
      ASSERT_EQ(find_if_not(policy, v, is_wanted), std::find_if_not(v.begin(), v.end(), is_wanted));
      ASSERT_EQ(any_of(policy, v, is_wanted), std::any_of(v.begin(), v.end(), is_wanted));
      ASSERT_EQ(all_of(policy, v, is_wanted), std::all_of(v.begin(), v.end(), is_wanted));
      ASSERT_EQ(none_of(policy, v, is_wanted), std::none_of(v.begin(), v.end(), is_wanted));
      ASSERT_EQ(count(policy, v, wanted), std::count(v.begin(), v.end(), wanted));
      ASSERT_EQ(count_if(policy, v, is_wanted), std::count_if(v.begin(), v.end(), is_wanted));
    }
    const std::vector<int> set{999, 5, 17};
    ASSERT_EQ(find_first_of(policy, v, set), std::find_first_of(v.begin(), v.end(), set.begin(), set.end()));
    ASSERT_EQ(find_first_of(policy, v, std::vector<int>()), v.end());
    ASSERT_EQ(adjacent_find(policy, v), std::adjacent_find(v.begin(), v.end()));
    const auto far = [](int a, int b) { return b - a > 990; };
    ASSERT_EQ(adjacent_find(policy, v, far), std::adjacent_find(v.begin(), v.end(), far));
  });
}

TEST_P(search_test, matches_at_every_place) {
  std::vector<int> v(700);
  with_policies([&](const auto& policy) {
    for (std::size_t i = 0; i <= v.size(); i += 23) {
      std::vector<int> w = v;
      for (std::size_t j = i; j < w.size(); j += 50) w[j] = 1;
      ASSERT_EQ(find(policy, w, 1) - w.begin(), static_cast<std::ptrdiff_t>(std::min(i, w.size())));
      ASSERT_EQ(std::pair(mismatch(policy, v, w).first - v.begin(), mismatch(policy, v, w).second - w.begin()),
                std::pair(find(seq, w, 1) - w.begin(), find(seq, w, 1) - w.begin()));
      ASSERT_EQ(equal(policy, v, w), i >= v.size());
      ASSERT_EQ(is_sorted(policy, w), i + 1 >= w.size());
      ASSERT_EQ(is_sorted_until(policy, w), std::is_sorted_until(w.begin(), w.end()));
      ASSERT_EQ(lexicographical_compare(policy, v, w), i < v.size());
      ASSERT_FALSE(lexicographical_compare(policy, w, v));
    }
  });
}

TEST_P(search_test, patterns) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::vector<std::vector<int>> patterns{{}, {0}, {0, 1, 1, 0, 1, 0}, {5000}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, v};
    if (v.size() > 20) patterns.emplace_back(v.end() - 12, v.end());
    if (v.size() > 20) patterns.emplace_back(v.begin(), v.begin() + 9);
    for (const auto& p : patterns) {
      if (p.size() == v.size() && v.size() > 1000) continue; // quadratic nowhere, but slow
      ASSERT_EQ(search(policy, v, p), std::search(v.begin(), v.end(), p.begin(), p.end()));
      ASSERT_EQ(find_end(policy, v, p), std::find_end(v.begin(), v.end(), p.begin(), p.end()));
    }
  });
}

TEST_P(search_test, comparisons_of_different_lengths) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::vector<int> w(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
    ASSERT_EQ(equal(policy, v, w), v.empty());
    ASSERT_TRUE(equal(policy, w.begin(), w.end(), v.begin()));
    ASSERT_EQ(mismatch(policy, v, w), std::mismatch(v.begin(), v.end(), w.begin(), w.end()));
    ASSERT_EQ(mismatch(policy, w.begin(), w.end(), v.begin()), std::mismatch(w.begin(), w.end(), v.begin()));
    ASSERT_EQ(lexicographical_compare(policy, w, v), !v.empty());
    ASSERT_FALSE(lexicographical_compare(policy, v, w));
    ASSERT_FALSE(lexicographical_compare(policy, v, v));
  });
}

TEST_P(search_test, extremes) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    const hiccup pause(61);
    const auto by_tens = [&](int a, int b) { // many are equal
      pause();
      return a / 10 < b / 10;
    };
    ASSERT_EQ(min_element(policy, v), std::min_element(v.begin(), v.end()));
    ASSERT_EQ(max_element(policy, v), std::max_element(v.begin(), v.end()));
    ASSERT_EQ(minmax_element(policy, v), (std::pair(std::minmax_element(v.begin(), v.end()))));
    ASSERT_EQ(min_element(policy, v, by_tens), std::min_element(v.begin(), v.end(), by_tens));
    ASSERT_EQ(max_element(policy, v, by_tens), std::max_element(v.begin(), v.end(), by_tens));
    ASSERT_EQ(minmax_element(policy, v, by_tens), (std::pair(std::minmax_element(v.begin(), v.end(), by_tens))));
  });
}

TEST_P(search_test, weaker_iterators) {
  const std::list<int> l{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  const std::forward_list<int> f(l.begin(), l.end());
  const std::vector<int> pattern{5, 3};
  const auto check = [&](const auto& policy, const auto& range) {
    ASSERT_EQ(std::ranges::distance(range.begin(), find(policy, range, 9)), 5);
    ASSERT_EQ(std::ranges::distance(range.begin(), search(policy, range, pattern)), 8);
    ASSERT_EQ(std::ranges::distance(range.begin(), find_end(policy, range, std::vector<int>{5})), 10);
    ASSERT_EQ(adjacent_find(policy, range), range.end());
    ASSERT_EQ(std::ranges::distance(range.begin(), is_sorted_until(policy, range)), 1);
    ASSERT_TRUE(equal(policy, range, std::vector<int>(l.begin(), l.end())));
    ASSERT_EQ(mismatch(policy, range, pattern).first, range.begin());
    ASSERT_EQ(count(policy, range, 5), 3);
    ASSERT_TRUE(any_of(policy, range, [](int x) { return x == 6; }));
    ASSERT_EQ(*max_element(policy, range), 9);
    ASSERT_EQ(std::ranges::distance(range.begin(), min_element(policy, range)), 1);
    ASSERT_EQ(reduce(policy, range), 44);
  };
  check(seq, l);
  check(par, l);
  check(par, f);
}

TEST_P(search_test, of_any_input) {
  rc::check([](const std::vector<signed char>& v, const std::vector<signed char>& w, unsigned char chunk) {
    const auto policy = par.with(dynamic_chunk_size{1u + chunk % 8u}).with(num_cores{chunk % 16u});
    async([&] {
      RC_ASSERT(lexicographical_compare(policy, v, w) ==
                std::lexicographical_compare(v.begin(), v.end(), w.begin(), w.end()));
      RC_ASSERT(find_first_of(policy, v, w) == std::find_first_of(v.begin(), v.end(), w.begin(), w.end()));
      RC_ASSERT(minmax_element(policy, v) == std::pair(std::minmax_element(v.begin(), v.end())));
      RC_ASSERT(is_sorted_until(policy, v) == std::is_sorted_until(v.begin(), v.end()));
      RC_ASSERT(search(policy, v, w) == std::search(v.begin(), v.end(), w.begin(), w.end()));
    }).get();
  });
}

} // namespace
} // namespace treadle
