#include "task/engine/runtime_fixture.hpp"

#include <treadle/treadle.hpp>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

namespace treadle {
namespace {

class dataflow_test : public testing::on_workers {};
TREADLE_ON_WORKERS(dataflow_test);

TEST_P(dataflow_test, receives_ready_futures_and_plain_values) {
  auto sum = dataflow([](future<int> a, int b, shared_future<int> c) { return a.get() + b + c.get(); },
                      async([] { return 1; }), 10, async([] { return 100; }).share());
  EXPECT_EQ(sum.get(), 111);
}

TEST_P(dataflow_test, unwrapping_passes_values_and_skips_void) {
  auto text = dataflow(unwrapping([](int a, std::string b) { return b + std::to_string(a); }), async([] { return 7; }),
                       make_ready_future(), async([] { return std::string("x"); }));
  EXPECT_EQ(text.get(), "x7");
  std::vector<future<int>> parts;
  for (int i = 0; i < 10; ++i) parts.push_back(async([i] { return i; }));
  auto total = dataflow(unwrapping([](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); }),
                        std::move(parts));
  EXPECT_EQ(total.get(), 45);
}

TEST_P(dataflow_test, every_policy_with_ready_and_pending_inputs) {
  for (launch policy : {launch::async, launch::sync, launch::deferred, launch::fork, launch::adaptive}) {
    EXPECT_EQ(dataflow(policy, unwrapping([](int a) { return a + 1; }), make_ready_future(1)).get(), 2);
    promise<int> p;
    auto f = dataflow(policy, unwrapping([](int a) { return a + 1; }), p.get_future());
    EXPECT_FALSE(f.is_ready());
    p.set_value(2);
    EXPECT_EQ(f.get(), 3);
  }
}

TEST_P(dataflow_test, ready_inputs_with_sync_run_inside_the_call) {
  EXPECT_TRUE(dataflow(launch::sync, [](future<int> f) { return f.get(); }, make_ready_future(1)).is_ready());
  EXPECT_TRUE(dataflow(launch::sync, [] { return 1; }).is_ready());
}

TEST_P(dataflow_test, deferred_inputs_are_started) {
  const auto one = [] { return async(launch::deferred, [] { return 1; }); };
  EXPECT_EQ(dataflow(unwrapping([](int a) { return a + 1; }), one()).get(), 2);
  EXPECT_EQ(one().then([](future<int> f) { return f.get() + 2; }).get(), 3);
  EXPECT_EQ(std::get<0>(when_all(one()).get()).get(), 1);
  EXPECT_EQ(when_any(one(), one()).get().index < 2, true);
}

TEST_P(dataflow_test, results_that_are_futures_are_unwrapped) {
  future<int> f = dataflow([](future<int> a) { return async([v = a.get()] { return v * 2; }); }, make_ready_future(4));
  EXPECT_EQ(f.get(), 8);
  future<int> failing = dataflow([]() -> future<int> { return make_exceptional_future<int>(std::runtime_error("x")); });
  EXPECT_THROW(failing.get(), std::runtime_error);
  future<int> empty = dataflow([]() -> future<int> { return {}; });
  EXPECT_THROW(empty.get(), future_error);
}

TEST_P(dataflow_test, exceptions_of_inputs_reach_the_result) {
  auto f = dataflow(unwrapping([](int a) { return a; }), async([]() -> int { throw std::logic_error("input"); }));
  EXPECT_THROW(f.get(), std::logic_error);
}

TEST_P(dataflow_test, inputs_are_released_before_the_result_is_visible) {
  auto token = std::make_shared<int>(1);
  auto f = dataflow([](future<std::shared_ptr<int>> t, std::shared_ptr<int> u) { return *t.get() + *u; },
                    async([token] { return token; }), token);
  EXPECT_EQ(f.get(), 2);
  rt->wait_idle();
  EXPECT_EQ(token.use_count(), 1);
}

TEST_P(dataflow_test, a_grid_of_dependencies) {
  constexpr std::size_t k_size = 24;
  std::vector<std::vector<shared_future<long>>> cell(k_size, std::vector<shared_future<long>>(k_size));
  for (std::size_t i = 0; i < k_size; ++i) {
    for (std::size_t j = 0; j < k_size; ++j) {
      if (i == 0 || j == 0) {
        cell[i][j] = make_ready_future(1L);
      } else {
        const launch policy = (i + j) % 2 ? launch::sync : launch::async;
        cell[i][j] = dataflow(policy, unwrapping([](long a, long b) { return (a + b) % 1'000'003; }), cell[i - 1][j],
                              cell[i][j - 1])
                         .share();
      }
    }
  }
  std::vector<long> row(k_size, 1);
  for (std::size_t i = 1; i < k_size; ++i) {
    for (std::size_t j = 1; j < k_size; ++j) row[j] = (row[j] + row[j - 1]) % 1'000'003;
  }
  EXPECT_EQ(cell[k_size - 1][k_size - 1].get(), row[k_size - 1]);
}

TEST_P(dataflow_test, when_all_of_arguments_vectors_and_ranges) {
  auto [a, b] = when_all(async([] { return 1; }), async([] { return std::string("s"); })).get();
  EXPECT_EQ(a.get(), 1);
  EXPECT_EQ(b.get(), "s");
  std::vector<future<int>> v;
  for (int i = 0; i < 50; ++i) v.push_back(async([i] { return i; }));
  auto all = when_all(v.begin(), v.end()).get();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  EXPECT_TRUE(when_all(std::vector<future<int>>()).is_ready());
  EXPECT_TRUE(when_all().is_ready());
}

TEST_P(dataflow_test, when_all_keeps_exceptions_in_the_futures) {
  auto both = when_all(async([] { throw 1; }), async([] { return 2; }));
  both.wait();
  EXPECT_FALSE(both.has_exception());
  auto [bad, good] = both.get();
  EXPECT_THROW(bad.get(), int);
  EXPECT_EQ(good.get(), 2);
}

TEST_P(dataflow_test, when_any_and_when_some_report_what_is_ready) {
  promise<int> p[3];
  auto any = when_any(p[0].get_future(), p[1].get_future());
  EXPECT_FALSE(any.is_ready());
  p[1].set_value(5);
  auto result = any.get();
  EXPECT_EQ(result.index, 1u);
  EXPECT_EQ(std::get<1>(result.futures).get(), 5);
  p[0].set_value(1);

  promise<int> q[4];
  std::vector<future<int>> v;
  for (auto& one : q) v.push_back(one.get_future());
  auto some = when_some(2, std::move(v));
  q[3].set_value(3);
  EXPECT_FALSE(some.is_ready());
  q[0].set_value(0);
  auto two = some.get();
  EXPECT_EQ(two.indices, (std::vector<std::size_t>{0, 3}));
  q[1].set_value(1), q[2].set_value(2);
  EXPECT_TRUE(when_some(9, std::vector<future<int>>()).is_ready());
  EXPECT_EQ(when_any(std::vector<future<int>>()).get().index, static_cast<std::size_t>(-1));
  p[2].set_value(0);
}

TEST_P(dataflow_test, when_each_visits_all_and_reports_errors) {
  std::atomic<int> sum{0};
  std::vector<future<int>> v;
  for (int i = 0; i < 20; ++i) v.push_back(async([i] { return i; }));
  when_each([&](future<int> f) { sum += f.get(); }, std::move(v)).get();
  EXPECT_EQ(sum, 190);
  when_each([&](auto f) { sum += static_cast<int>(f.get()); }, make_ready_future(1), make_ready_future(2L)).get();
  EXPECT_EQ(sum, 193);
  std::vector<future<int>> bad;
  bad.push_back(async([]() -> int { throw std::runtime_error("x"); }));
  auto failed = when_each([](future<int> f) { f.get(); }, std::move(bad));
  EXPECT_THROW(failed.get(), std::runtime_error);
}

TEST_P(dataflow_test, blocking_twins) {
  std::vector<future<int>> v;
  for (int i = 0; i < 20; ++i) v.push_back(async([i] { return i; }));
  wait_any(v);
  wait_some(10, v);
  wait_all(v);
  for (auto& f : v) EXPECT_TRUE(f.is_ready());
  int visited = 0;
  wait_each([&](future<int>& f) { visited += f.is_ready(); }, v);
  EXPECT_EQ(visited, 20);
  auto a = async([] {}), b = async([] {});
  wait_any(a, b), wait_some(1, a, b), wait_all(a, b);
  EXPECT_TRUE(a.is_ready() && b.is_ready());
}

} // namespace
} // namespace treadle
