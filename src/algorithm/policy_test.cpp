#include "algorithm_fixture.hpp"

#include <treadle/latch.hpp>
#include <treadle/parallel_invoke.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

namespace treadle {
namespace {

class policy_test : public algorithm_test {};
TREADLE_ON_WORKERS(policy_test);

TEST_P(policy_test, elements_run_at_the_same_time) {
  std::vector<int> v(2);
  latch both(2); // each waits until the other has started
  for_each(par.with(static_chunk_size{1}).with(num_cores{2}), v, [&](int& x) {
    both.arrive_and_wait();
    x = 1;
  });
  EXPECT_EQ(v, (std::vector<int>{1, 1}));
}

TEST_P(policy_test, parts_run_on_several_workers) {
  if (GetParam() == 1) return;
  std::vector<int> worker(2, -1);
  std::atomic<int> started{0};
  for_each(par.with(static_chunk_size{1}).with(num_cores{2}), worker, [&](int& w) {
    w = this_task::worker_index();
    ++started;
    while (started < 2) { // keeps its worker
    }
  });
  EXPECT_NE(worker[0], worker[1]);
}

TEST_P(policy_test, asynchronous) {
  std::vector<int> v(20'000), out(v.size());
  future<void> filled = fill(par(task), v, 2);
  filled.get();
  future<int> sum = reduce(par(task).with(dynamic_chunk_size{100}), v);
  EXPECT_EQ(sum.get(), 40'000);
  future<std::vector<int>::iterator> end = inclusive_scan(par(task), v, out.begin());
  EXPECT_EQ(end.get(), out.end());
  EXPECT_EQ(find(par(task), out, 20'002).get() - out.begin(), 10'000);
  EXPECT_EQ(stable_partition(seq(task), out, [](int x) { return x > 20'000; }).get() - out.begin(), 10'000);
  EXPECT_EQ(minmax_element(par(task), std::span(out)).get().first - std::span(out).begin(), 10'000);
  future<bool> same = equal(par(task), v.begin(), v.end(), out.begin());
  EXPECT_FALSE(same.get());
  EXPECT_EQ(transform(par_unseq(task), v, out.begin(), [](int x) { return x; }).get(), out.end());
  EXPECT_EQ(out, v);
  EXPECT_THROW(for_each(par(task), v, [](int) { throw std::runtime_error("here"); }).get(), std::runtime_error);
}

void add_one(int& x) { ++x; }
void add_two_at(std::vector<int>::iterator at, int& sum) { sum += * at += 2; }
int negated(int x) { return -x; }
int sum_of(int x, int y) { return x + y; }
bool is_odd(int x) { return x % 2 != 0; }
bool is_greater(int x, int y) { return x > y; }
bool is_same(int x, int y) { return x == y; }

/// `result_of` calls, and waits with par(task).
template <class Policy, class ResultOf>
void call_all_with_functions(const Policy& policy, ResultOf result_of) {
  std::vector<int> v(20'000), out(v.size());
  std::iota(v.begin(), v.end(), 0);
  std::vector<int> expected(v.size());
  std::iota(expected.begin(), expected.end(), 3);
  result_of([&] { return for_each(policy, v, add_one); });
  int sum = 0;
  result_of([&] { return for_loop(policy, v.begin(), v.end(), reduction_plus(sum), add_two_at); });
  EXPECT_EQ(v, expected);
  EXPECT_EQ(sum, std::accumulate(v.begin(), v.end(), 0));
  result_of([&] { return transform(policy, v, out.begin(), negated); });
  EXPECT_EQ(out[5], -8);
  result_of([&] { return transform(policy, v.begin(), v.end(), out.begin(), out.begin(), sum_of); });
  EXPECT_EQ(out, std::vector<int>(v.size()));
  EXPECT_EQ(result_of([&] { return reduce(policy, v, 0, sum_of); }), sum);
  EXPECT_EQ(result_of([&] { return transform_reduce(policy, v, 0, sum_of, negated); }), -sum);
  EXPECT_EQ(result_of([&] { return inclusive_scan(policy, v, out.begin(), sum_of); }), out.end());
  EXPECT_EQ(out.back(), sum);
  EXPECT_EQ(result_of([&] { return count_if(policy, v, is_odd); }), 10'000);
  EXPECT_EQ(*result_of([&] { return find_if(policy, v, is_odd); }), 3);
  EXPECT_TRUE(result_of([&] { return any_of(policy, v, is_odd); }));
  EXPECT_TRUE(result_of([&] { return equal(policy, v.begin(), v.end(), expected.begin(), is_same); }));
  result_of([&] { return sort(policy, v, is_greater); });
  EXPECT_TRUE(std::is_sorted(v.rbegin(), v.rend()));
  result_of([&] { return stable_sort(policy, out, is_greater); });
  EXPECT_TRUE(std::is_sorted(out.rbegin(), out.rend()));
  result_of([&] { return copy_if(policy, v, out.begin(), is_odd); });
  EXPECT_EQ(out[0], 20'001);
  EXPECT_EQ(*result_of([&] { return max_element(policy, v, is_greater); }), 3);
  EXPECT_EQ(result_of([&] { return remove_if(policy, v, is_odd); }) - v.begin(), 10'000);
}

TEST_P(policy_test, plain_functions) {
  call_all_with_functions(par, [](auto call) { return call(); });
}

TEST_P(policy_test, plain_functions_in_tasks) {
  call_all_with_functions(par(task), [](auto call) { return call().get(); });
}

template <class Policy, class R>
concept can_count = requires(Policy policy, R&& range) { count(policy, std::forward<R>(range), 1); };
template <class Policy, class R>
concept can_find = requires(Policy policy, R&& range) { find(policy, std::forward<R>(range), 1); };

TEST_P(policy_test, temporary_ranges) {
  using synchronous = decltype(par);
  using asynchronous = decltype(par(task));
  using array = std::vector<int>;
  static_assert(can_count<synchronous, array> && can_count<synchronous, array&>);
  static_assert(can_count<asynchronous, array&> && can_count<asynchronous, const array&>);
  static_assert(can_count<asynchronous, std::span<int>>);
  static_assert(!can_count<asynchronous, array>, "it would be gone before the task runs");
  static_assert(can_find<synchronous, array&> && can_find<synchronous, std::span<int>>);
  static_assert(!can_find<synchronous, array>, "the result would dangle");
  EXPECT_EQ(count(par, array{1, 2, 1}, 1), 2);
}

/// Throws std::runtime_error with the element, for those from 100 on.
struct throws_late {
  const hiccup* pause;
  bool operator()(int x) const {
    (*pause)();
    if (x >= 100) throw std::runtime_error(std::to_string(x));
    return x % 2 == 0;
  }
};

/// The algorithm throws what a sequential one throws: at element 100.
template <class Run>
void expect_first(const Run& run) {
  try {
    run();
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "100");
  }
}

TEST_P(policy_test, the_first_exception_is_rethrown) {
  with_policies([](const auto& policy) {
    const hiccup pause(19);
    const throws_late late{&pause};
    std::vector<int> v(3000), out(3000), more(3000);
    std::iota(v.begin(), v.end(), 0);
    const auto add = [&](int a, int b) {
      late(b);
      return a + b;
    };
    expect_first([&] { for_each(policy, v, late); });
    expect_first([&] { transform(policy, v, out.begin(), late); });
    expect_first([&] { count_if(policy, v, late); });
    expect_first([&] { find_if(policy, v, [&](int x) { return late(x) && x < 0; }); });
    expect_first([&] { transform_reduce(policy, v, 0, std::plus<>(), late); });
    expect_first([&] { copy_if(policy, v, out.begin(), late); });
    expect_first([&] { partition_copy(policy, v, out.begin(), more.begin(), late); });
    expect_first([&] { transform_inclusive_scan(policy, v, out.begin(), std::plus<>(), late); });
    EXPECT_THROW(reduce(policy, v, 0, add),
                 std::runtime_error); // sums are thrown at, so which one depends on the parts
    EXPECT_THROW(exclusive_scan(policy, v, out.begin(), 0, add), std::runtime_error);
    std::vector<int> changed = v;
    expect_first([&] { remove_if(policy, changed, late); });
    changed = v;
    expect_first([&] { stable_partition(policy, changed, late); });
    changed = v;
    expect_first([&] { partition(seq, changed, [&](int x) { return late(x) || true; }); });
    // A match before the exception: as in a sequential search, it never happens.
    EXPECT_EQ(find_if(policy, v, [&](int x) { return late(x) && x == 50; }) - v.begin(), 50);
  });
}

TEST_P(policy_test, owners_survive_exceptions) {
  with_policies([](const auto& policy) {
    std::vector<std::string> v(500, std::string(50, 'x'));
    std::atomic<int> calls{0};
    const auto fails = [&](const std::string& s) {
      if (++calls == 300) throw std::runtime_error("300");
      return s.size() % 2 == 1;
    };
    for (int k = 0; k < 2; ++k, calls = 0) {
      EXPECT_THROW(k == 0 ? remove_if(policy, v, fails) : stable_partition(policy, v, fails), std::runtime_error);
      for (auto& s : v) s.assign(50, 'y'); // valid, whatever they held
    }
  });
}

TEST_P(policy_test, nested_in_tasks_and_forks) {
  async([] {
    std::vector<std::vector<int>> rows(50, std::vector<int>(200, 1));
    std::vector<int> sums(rows.size());
    transform(par.with(dynamic_chunk_size{1}), rows, sums.begin(), [](std::vector<int>& row) {
      int sum = 0;
      parallel_invoke([&] { sum = reduce(par.with(dynamic_chunk_size{10}), row); },
                      [&] { EXPECT_TRUE(is_sorted(par, row)); });
      inclusive_scan(par.with(static_chunk_size{1}), row, row.begin());
      return sum;
    });
    EXPECT_EQ(reduce(par, sums), 50 * 200);
    for (const auto& row : rows) ASSERT_EQ(row.back(), 200);
  }).get();
}

TEST_P(policy_test, large_arrays_on_demand) {
  async([] {
    std::vector<int> v(100'000), out(v.size()), expected(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * i % 1009 / 3);
    const auto even = [](int x) { return x % 2 == 0; };
    for (int repeat = 0; repeat < 5; ++repeat) {
      ASSERT_EQ(reduce(par, v), std::accumulate(v.begin(), v.end(), 0));
      inclusive_scan(par, v, out.begin());
      std::inclusive_scan(v.begin(), v.end(), expected.begin());
      ASSERT_EQ(out, expected);
      const auto end = copy_if(par, v, out.begin(), even);
      ASSERT_EQ(end - out.begin(), std::copy_if(v.begin(), v.end(), expected.begin(), even) - expected.begin());
      ASSERT_TRUE(std::equal(out.begin(), end, expected.begin()));
      ASSERT_EQ(find(par, v, 300), std::find(v.begin(), v.end(), 300));
      ASSERT_EQ(minmax_element(par, v), (std::pair(std::minmax_element(v.begin(), v.end()))));
      out = expected = v;
      out.erase(treadle::unique(par, out), out.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      ASSERT_EQ(out, expected);
      out = expected = v;
      reverse(par, out);
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(out, expected);
    }
  }).get();
}

TEST_P(policy_test, many_threads_outside) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<int> v(5000, t), out(v.size());
      for (int repeat = 0; repeat < 20; ++repeat) {
        EXPECT_EQ(reduce(par.with(dynamic_chunk_size{100}), v), 5000 * t);
        inclusive_scan(par.with(static_chunk_size{10}), v, out.begin());
        EXPECT_EQ(out.back(), 5000 * t);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(policy_test, function_objects_are_not_copied) {
  struct counter {
    counter() = default;
    counter(const counter&) = delete;
    void operator()(int) { ++calls; }
    int calls = 0;
  } f;
  for_each(seq, std::vector<int>(10), f);
  EXPECT_EQ(f.calls, 10);
}

} // namespace
} // namespace treadle
