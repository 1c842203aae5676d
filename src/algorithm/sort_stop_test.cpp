// Stop tokens in what sorts and merges: nothing is lost, and little is done after the stop.
#include "algorithm/sorting_fixture.hpp"

#include <treadle/algorithm/merge.hpp>
#include <treadle/algorithm/nth_element.hpp>
#include <treadle/algorithm/set_operations.hpp>
#include <treadle/algorithm/stable_sort.hpp>
#include <treadle/stop.hpp>

#include <cmath>
#include <list>

namespace treadle {
namespace {

/// Compares; requests the stop in each call from the given one on, and fails there if it is told to.
class stopping_less {
 public:
  stopping_less(std::stop_source& source, long call, bool fails = false)
      : m_source(&source), m_stops_at(call), m_fails(fails), m_calls(std::make_shared<std::atomic<long>>(0)) {}

  template <class T>
  bool operator()(const T& a, const T& b) const {
    const long call = m_calls->fetch_add(1) + 1;
    if (call >= m_stops_at) m_source->request_stop();
    if (m_fails && call == m_stops_at) throw std::runtime_error("comparison");
    return a < b;
  }
  long calls() const { return *m_calls; }

 private:
  std::stop_source* m_source;
  long m_stops_at;
  bool m_fails;
  std::shared_ptr<std::atomic<long>> m_calls;
};

/// A token that is stopped when it is looked at for the given time: so that what calls no function of ours stops at a
/// known moment.
class counted_looks {
 public:
  counted_looks() = default;
  explicit counted_looks(long until_stop) : m_left(std::make_shared<std::atomic<long>>(until_stop)) {}
  bool stop_requested() const noexcept { return m_left->fetch_sub(1) <= 1; }
  bool stop_possible() const noexcept { return true; }
  long left() const { return *m_left; }

 private:
  std::shared_ptr<std::atomic<long>> m_left;
};

int key_of(int key) { return key; }
int key_of(const moving_key& element) { return element.key(); } // throws when it was moved from

template <class T>
std::vector<T> elements(const std::vector<int>& keys) {
  if constexpr (std::is_same_v<T, int>)
    return keys;
  else
    return moving_keys(keys);
}

template <class T>
std::vector<int> keys_of(const std::vector<T>& values) {
  std::vector<int> keys;
  for (const T& value : values) keys.push_back(key_of(value));
  return keys;
}

std::vector<int> sorted(std::vector<int> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// What orders a range in its place.
struct in_place {
  const char* name;
  void prepare(std::vector<int>& keys) const {
    if (name != std::string("inplace_merge")) return;
    std::sort(keys.begin(), keys.begin() + part(keys));
    std::sort(keys.begin() + part(keys), keys.end());
  }
  template <class Policy, class T, class Less>
  void run(const Policy& policy, std::vector<T>& values, const Less& less) const {
    const std::string which = name;
    if (which == "sort") sort(policy, values, less);
    if (which == "stable_sort") stable_sort(policy, values, less);
    if (which == "partial_sort") partial_sort(policy, values, values.begin() + part(values), less);
    if (which == "nth_element") nth_element(policy, values, values.begin() + part(values), less);
    if (which == "inplace_merge") inplace_merge(policy, values, values.begin() + part(values), less);
  }
  /// `keys` are the result, all of them known to be there.
  void check(const std::vector<int>& keys) const {
    const std::string which = name;
    const auto expected = sorted(keys);
    if (keys.empty()) return;
    if (which == "nth_element") {
      ASSERT_EQ(*(keys.begin() + part(keys)), *(expected.begin() + part(keys)));
    } else {
      const auto ordered = which == "partial_sort" ? part(keys) : std::ssize(keys);
      ASSERT_TRUE(std::equal(keys.begin(), keys.begin() + ordered, expected.begin()));
    }
  }

 private:
  template <class T>
  static std::ptrdiff_t part(const std::vector<T>& values) {
    return std::ssize(values) / 3;
  }
};
constexpr in_place k_in_place[]{{"sort"}, {"stable_sort"}, {"partial_sort"}, {"nth_element"}, {"inplace_merge"}};

class sort_stop_test : public sorting_test {
 protected:
  template <class T>
  static void stop_at_random(const in_place& algorithm, std::vector<int> keys, std::mt19937& random);
};
TREADLE_ON_WORKERS(sort_stop_test);

template <class T>
void sort_stop_test::stop_at_random(const in_place& algorithm, std::vector<int> keys, std::mt19937& random) {
  algorithm.prepare(keys);
  const double n = static_cast<double>(keys.size());
  // Early as often as late.
  const double calls_max = 1.2 * n * std::log2(n + 2) + 2;
  const auto stops_at = static_cast<long>(std::exp(std::log(calls_max) * static_cast<double>(random() % 1000) / 1000));
  const bool fails = random() % 4 == 0;
  with_policies([&](const auto& policy) {
    auto values = elements<T>(keys);
    std::stop_source source;
    const stopping_less less(source, stops_at, fails);
    bool thrown = false;
    try {
      algorithm.run(policy.with(source.get_token()), values, less);
    } catch (const stopped&) {
      thrown = true;
      ASSERT_TRUE(source.stop_requested());
    } catch (const std::runtime_error&) {
      thrown = true;
      ASSERT_TRUE(fails);
    }
    const auto left = keys_of(values);
    ASSERT_EQ(sorted(left), sorted(keys)) << algorithm.name << " of " << keys.size() << " stopped at " << stops_at;
    if (!thrown) algorithm.check(left);
  });
}

TEST_P(sort_stop_test, no_element_is_lost) {
  std::mt19937 random(7);
  for (const std::size_t n : sorting_sizes) {
    for (const auto& keys : some_sorting_inputs(n)) {
      for (const auto& algorithm : k_in_place) {
        if (detail::k_sanitized && n > 5000 && random() % 3 != 0) continue;
        stop_at_random<int>(algorithm, keys, random);
        if (n <= 5000 || random() % 4 == 0) stop_at_random<moving_key>(algorithm, keys, random);
      }
    }
  }
  EXPECT_EQ(moving_key::alive, 0);
}

TEST_P(sort_stop_test, nobody_compares_twice_after_the_stop) {
  constexpr long k_stops_at = 100;
  auto keys = sorting_inputs(200'000)[0];
  for (const auto& algorithm : k_in_place) {
    algorithm.prepare(keys);
    with_policies([&](const auto& policy) {
      auto values = keys;
      std::stop_source source;
      const stopping_less less(source, k_stops_at);
      ASSERT_THROW(algorithm.run(policy.with(source.get_token()), values, less), stopped) << algorithm.name;
      const long at_once = policy.is_parallel ? static_cast<long>(GetParam()) : 1;
      ASSERT_LT(less.calls(), k_stops_at + at_once) << algorithm.name;
    });
  }
}

// An exception takes longer than a small part of the work: each look after the stop is one.
TEST_P(sort_stop_test, few_parts_throw_after_the_stop) {
  auto keys = sorting_inputs(100'000)[0];
  const auto less = [](int a, int b) { return a < b; };
  for (const auto& algorithm : k_in_place) {
    algorithm.prepare(keys);
    for (const long looks : {10'000L, 150'000L, 300'000L, 1'000'000L}) {
      if (detail::k_sanitized && looks > 150'000) continue;
      with_policies([&](const auto& policy) {
        auto values = keys;
        const counted_looks token(looks);
        try {
          algorithm.run(policy.with(token), values, less);
        } catch (const stopped&) {
          ASSERT_EQ(sorted(values), sorted(keys)) << algorithm.name;
        }
        ASSERT_GT(token.left(), -100 * static_cast<long>(GetParam())) << algorithm.name << " after " << looks;
      });
    }
  }
}

TEST_P(sort_stop_test, asynchronous) {
  auto values = sorting_inputs(50'000)[0];
  std::stop_source source;
  auto sorts = sort(par(task).with(source.get_token()), values, stopping_less(source, 1000));
  EXPECT_THROW(sorts.get(), stopped);
  EXPECT_EQ(sorted(values), sorted(sorting_inputs(50'000)[0]));
}

// Numbers
// --------------------------------------------------------------------------------------------------------------------

/// Stops after each of the first looks, and at later ones.
template <class T, class Order, class Sort>
void stop_numbers(const std::vector<T>& numbers, Order order, const Sort& sort_with) {
  auto expected = numbers;
  std::sort(expected.begin(), expected.end(), order);
  bool ended = false;
  for (long looks = 1; !ended && looks < 1'000'000; looks += 1 + looks / 4) {
    auto values = numbers;
    bool thrown = false;
    try {
      sort_with(counted_looks(looks), values, order);
    } catch (const stopped&) {
      thrown = true;
    }
    ended = !thrown;
    ASSERT_TRUE(thrown || std::is_sorted(values.begin(), values.end(), order));
    std::sort(values.begin(), values.end(), order);
    ASSERT_EQ(values, expected);
  }
  ASSERT_TRUE(ended);
}

template <class T>
void stop_numbers() {
  std::mt19937_64 random(sizeof(T));
  for (const std::size_t n : {0u, 1u, 40u, 1000u, 5000u, 100'000u, 300'000u}) {
    if (detail::k_sanitized && n > (sizeof(T) == 4 ? 100'000 : 5000)) continue;
    std::vector<T> numbers(n);
    for (T& number : numbers) number = static_cast<T>(static_cast<std::int64_t>(random()) >> 3);
    const auto parallel = [](const auto& token, auto& values, auto order) { sort(par.with(token), values, order); };
    const auto sequential = [](const auto& token, auto& values, auto order) { sort(seq.with(token), values, order); };
    stop_numbers(numbers, std::less<T>(), parallel);
    stop_numbers(numbers, std::greater<T>(), sequential);
    std::sort(numbers.begin(), numbers.end());
    stop_numbers(numbers, std::less<T>(), sequential);
    stop_numbers(numbers, std::greater<T>(), parallel);
  }
}

TEST_P(sort_stop_test, no_number_is_lost) {
  stop_numbers<std::int32_t>();
  stop_numbers<std::uint16_t>();
  stop_numbers<double>();
  stop_numbers<detail::uint128>();
}

TEST_P(sort_stop_test, numbers_are_looked_for_often) {
  constexpr long k_never = 1'000'000'000;
  const auto input = sorting_inputs(k_many)[0];
  const auto up = sorted(input);
  with_policies([&](const auto& policy) {
    const counted_looks in_sort(k_never), in_select(k_never), in_order(k_never);
    auto values = input;
    nth_element(policy.with(in_select), values, values.begin() + 1000);
    EXPECT_EQ(values[1000], up[1000]);
    values = input;
    sort(policy.with(in_sort), values);
    EXPECT_EQ(values, up);
    sort(policy.with(in_order), values);
    const long pieces = static_cast<long>(k_many) / 65'536;
    EXPECT_GT(k_never - in_sort.left(), 4 * pieces);
    EXPECT_GT(k_never - in_select.left(), pieces);
    EXPECT_GT(k_never - in_order.left(), pieces);
  });
}

// Two ranges
// --------------------------------------------------------------------------------------------------------------------

TEST_P(sort_stop_test, two_ranges) {
  const auto a = sorted(sorting_inputs(30'000, 1)[0]), b = sorted(sorting_inputs(20'000, 2)[0]);
  const std::list<int> a_list(a.begin(), a.end());
  const auto stops = [&](auto algorithm) {
    for (const long call : {1L, 100L, 10'000L}) {
      std::stop_source source;
      const stopping_less less(source, call);
      std::vector<int> out(a.size() + b.size());
      EXPECT_THROW(algorithm(source.get_token(), out, less), stopped);
      EXPECT_LT(less.calls(), call + static_cast<long>(GetParam()));
      const counted_looks token(call);
      EXPECT_THROW(algorithm(token, out, std::less<int>()), stopped);
      EXPECT_GT(token.left(), -100 * static_cast<long>(GetParam()));
    }
  };
  with_policies([&](const auto& p) {
    stops([&](auto token, auto& out, auto less) { merge(p.with(token), a, b, out.begin(), less); });
    stops([&](auto token, auto& out, auto less) { merge(p.with(token), a_list, b, std::back_inserter(out), less); });
    stops([&](auto token, auto& out, auto less) { set_union(p.with(token), a, b, out.begin(), less); });
    stops([&](auto token, auto& out, auto less) { set_intersection(p.with(token), a, b, out.begin(), less); });
    stops([&](auto token, auto& out, auto less) { set_difference(p.with(token), a, b, out.begin(), less); });
    stops([&](auto token, auto& out, auto less) { set_symmetric_difference(p.with(token), a, b, out.begin(), less); });
    stops([&](auto token, auto&, auto less) { includes(p.with(token), a, a, less); });
  });
  std::stop_source never;
  std::vector<int> out(a.size() + b.size()), expected(out.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  merge(par.with(never.get_token()), a, b, out.begin());
  EXPECT_EQ(out, expected);
}

} // namespace
} // namespace treadle
