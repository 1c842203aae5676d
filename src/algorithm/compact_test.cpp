#include "algorithm_fixture.hpp"

#include <algorithm>
#include <forward_list>
#include <memory>
#include <string>

namespace treadle {
namespace {

class compact_test : public algorithm_test {};
TREADLE_ON_WORKERS(compact_test);

/// Predicates that keep many, few, all or none.
template <class Check>
void with_predicates(const Check& check) {
  const hiccup pause(67);
  for (int divisor : {1, 2, 100}) {
    check([&](int x) {
      pause();
      return x % divisor == 0;
    });
  }
  check([](int x) { return x < 0; });
}

TEST_P(compact_test, selected_copies) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    with_predicates([&](const auto& wanted) {
      std::vector<int> out(v.size(), -1), expected(v.size(), -1), others(v.size(), -1), expected_others(v.size(), -1);
      ASSERT_EQ(copy_if(policy, v, out.begin(), wanted) - out.begin(),
                std::copy_if(v.begin(), v.end(), expected.begin(), wanted) - expected.begin());
      ASSERT_EQ(out, expected);
      ASSERT_EQ(remove_copy_if(policy, v, others.begin(), wanted) - others.begin(),
                std::remove_copy_if(v.begin(), v.end(), expected_others.begin(), wanted) - expected_others.begin());
      ASSERT_EQ(others, expected_others);
      std::fill(out.begin(), out.end(), -1);
      std::fill(others.begin(), others.end(), -1);
      const auto ends = partition_copy(policy, v, out.begin(), others.begin(), wanted);
      ASSERT_EQ(ends.first - out.begin() + (ends.second - others.begin()), static_cast<std::ptrdiff_t>(v.size()));
      ASSERT_EQ(out, expected);
      ASSERT_EQ(others, expected_others);
    });
    std::vector<int> out(v.size(), -1), expected(v.size(), -1);
    ASSERT_EQ(unique_copy(policy, v, out.begin()) - out.begin(),
              std::unique_copy(v.begin(), v.end(), expected.begin()) - expected.begin());
    ASSERT_EQ(out, expected);
    std::fill(out.begin(), out.end(), -1);
    std::fill(expected.begin(), expected.end(), -1);
    ASSERT_EQ(remove_copy(policy, v, out.begin(), 1) - out.begin(),
              std::remove_copy(v.begin(), v.end(), expected.begin(), 1) - expected.begin());
    ASSERT_EQ(out, expected);
  });
}

TEST_P(compact_test, the_predicate_of_remove_if_is_called_once_per_element) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::atomic<std::size_t> calls{0};
    auto out = v;
    remove_if(policy, out, [&](int x) {
      ++calls;
      return x == 1;
    });
    ASSERT_EQ(calls, v.size());
  });
  std::vector<std::string> words(5, "longer than what fits into the string");
  int calls = 0;
  words.erase(remove_if(seq, words, [&](const std::string&) { return calls++ == 1; }), words.end());
  EXPECT_EQ(words, std::vector<std::string>(4, "longer than what fits into the string"));
}

TEST_P(compact_test, the_predicate_of_a_copy_is_called_once_per_element) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::atomic<std::size_t> calls{0};
    std::vector<int> out(v.size());
    copy_if(policy, v, out.begin(), [&](int x) {
      ++calls;
      return x % 2 == 0;
    });
    ASSERT_EQ(calls, v.size());
  });
}

TEST_P(compact_test, removals) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    with_predicates([&](const auto& unwanted) {
      std::vector<int> out = v, expected = v;
      out.erase(remove_if(policy, out, unwanted), out.end());
      expected.erase(std::remove_if(expected.begin(), expected.end(), unwanted), expected.end());
      ASSERT_EQ(out, expected);
    });
    const hiccup pause(71);
    const auto alike = [&](int a, int b) {
      pause();
      return a / 500 == b / 500;
    };
    std::vector<int> out = v, expected = v;
    out.erase(unique(policy, out, alike), out.end());
    expected.erase(std::unique(expected.begin(), expected.end(), alike), expected.end());
    ASSERT_EQ(out, expected);
    out = expected = v;
    out.erase(treadle::remove(policy, out, 0), out.end());
    expected.erase(std::remove(expected.begin(), expected.end(), 0), expected.end());
    ASSERT_EQ(out, expected);
  });
}

TEST_P(compact_test, partitions) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    with_predicates([&](const auto& first) {
      std::vector<int> out = v, expected = v;
      const auto middle = stable_partition(policy, out, first);
      ASSERT_EQ(middle - out.begin(), std::count_if(v.begin(), v.end(), first));
      std::remove_copy_if(v.begin(), v.end(), std::copy_if(v.begin(), v.end(), expected.begin(), first), first);
      ASSERT_EQ(out, expected);
      ASSERT_TRUE(is_partitioned(policy, out, first));
      ASSERT_EQ(is_partitioned(policy, v, first), std::is_partitioned(v.begin(), v.end(), first));
      out = v;
      ASSERT_EQ(partition(policy, out, first) - out.begin(), std::count_if(v.begin(), v.end(), first));
      ASSERT_TRUE(std::is_partitioned(out.begin(), out.end(), first));
      std::sort(out.begin(), out.end());
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(out, expected);
    });
  });
}

TEST_P(compact_test, elements_that_are_moved_down_wait_for_what_they_overwrite) {
  static const hiccup pause(23);
  struct element {
    int value;
    element& operator=(element&& other) {
      value = std::exchange(other.value, -1);
      pause();
      return *this;
    }
  };
  async([] {
    for (std::ptrdiff_t gap : {1, 1100, 3000}) {
      std::vector<element> v(6000);
      for (std::size_t i = 0; i < v.size(); ++i) v[i].value = static_cast<int>(i);
      const auto policy = par.with(static_chunk_size{16}).with(num_cores{5});
      ASSERT_EQ(detail::move_down(policy, v.begin() + gap, v.end(), v.begin()), v.end() - gap);
      for (std::ptrdiff_t i = 0; i < 6000 - gap; ++i) ASSERT_EQ(v[static_cast<std::size_t>(i)].value, i + gap);
    }
  }).get();
}

TEST_P(compact_test, values_that_can_only_be_moved) {
  with_policies([](const auto& policy) {
    const auto make = [] {
      std::vector<std::unique_ptr<int>> v;
      for (int i = 0; i < 3000; ++i) v.push_back(std::make_unique<int>(i));
      return v;
    };
    const auto odd = [](const std::unique_ptr<int>& p) { return *p % 2 == 1; };
    auto v = make();
    v.erase(remove_if(policy, v, odd), v.end());
    for (int i = 0; i < 1500; ++i) ASSERT_EQ(*v[static_cast<std::size_t>(i)], 2 * i);
    v = make();
    v.erase(unique(policy, v, [](const auto& a, const auto& b) { return *a / 3 == *b / 3; }), v.end());
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(*v[static_cast<std::size_t>(i)], 3 * i);
    v = make();
    ASSERT_EQ(stable_partition(policy, v, odd) - v.begin(), 1500);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(*v[static_cast<std::size_t>(i)], i < 1500 ? 2 * i + 1 : 2 * (i - 1500));
    v = make();
    ASSERT_EQ(partition(policy, v, odd) - v.begin(), 1500);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(odd(v[static_cast<std::size_t>(i)]), i < 1500);
  });
}

TEST_P(compact_test, weaker_iterators) {
  std::forward_list<int> f{1, 1, 2, 3, 3, 3, 4};
  const auto even = [](int x) { return x % 2 == 0; };
  std::vector<int> out;
  copy_if(par, f, std::back_inserter(out), even);
  unique_copy(par, f, std::back_inserter(out));
  EXPECT_EQ(out, (std::vector<int>{2, 4, 1, 2, 3, 4}));
  EXPECT_EQ(std::distance(f.begin(), unique(par, f)), 4);
  f = {1, 2, 3, 4};
  EXPECT_EQ(std::distance(f.begin(), stable_partition(par, f, even)), 2);
  EXPECT_EQ(f, (std::forward_list<int>{2, 4, 1, 3}));
  EXPECT_EQ(std::distance(f.begin(), partition(par, f, [](int x) { return x < 3; })), 2);
  EXPECT_EQ(std::distance(f.begin(), remove_if(par, f, even)), 2);
}

TEST_P(compact_test, of_any_input) {
  rc::check([](const std::vector<std::string>& v, unsigned char chunk) {
    const auto policy = par.with(dynamic_chunk_size{1u + chunk % 8u}).with(num_cores{chunk % 16u});
    const auto lengthy = [](const std::string& s) { return s.size() % 3 == 1; };
    auto removed = v, parted = v, single = v;
    auto removed_by_std = v, parted_by_std = v, single_by_std = v;
    async([&] {
      removed.erase(remove_if(policy, removed, lengthy), removed.end());
      stable_partition(policy, parted, lengthy);
      single.erase(unique(policy, single), single.end());
    }).get();
    removed_by_std.erase(std::remove_if(removed_by_std.begin(), removed_by_std.end(), lengthy), removed_by_std.end());
    std::remove_copy_if(v.begin(), v.end(), std::copy_if(v.begin(), v.end(), parted_by_std.begin(), lengthy), lengthy);
    single_by_std.erase(std::unique(single_by_std.begin(), single_by_std.end()), single_by_std.end());
    RC_ASSERT(removed == removed_by_std);
    RC_ASSERT(parted == parted_by_std);
    RC_ASSERT(single == single_by_std);
  });
}

} // namespace
} // namespace treadle
