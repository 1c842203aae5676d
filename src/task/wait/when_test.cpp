// What waiting for one of several futures leaves behind.
#include "task/engine/runtime_fixture.hpp"
#include "task/wait/hooks_fixture.hpp"

#include <treadle/treadle.hpp>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace treadle {
namespace {

using testing::hooks_in;

class when_test : public testing::on_workers {};
TREADLE_ON_WORKERS(when_test);

TEST_P(when_test, a_future_that_is_never_ready_keeps_no_hooks) {
  promise<void> never;
  const shared_future<void> open = never.get_future().share();
  const auto wait_often = [&] {
    for (int i = 0; i < 1000; ++i) {
      const shared_future<void> other = async([] {}).share();
      wait_any(open, other);
      wait_some(1, std::vector{open, other});
      when_any(open, other).get();
      when_some(1, std::vector{open, other}).get();
    }
  };
  wait_often();
  EXPECT_EQ(hooks_in(open), 0u);
  async(wait_often).get();
  EXPECT_EQ(hooks_in(open), 0u);
  never.set_value();
}

TEST_P(when_test, a_result_that_is_dropped_waits_for_nothing) {
  promise<void> never, later;
  const shared_future<void> open = never.get_future().share(), other = later.get_future().share();
  const auto drop_often = [&] {
    for (int i = 0; i < 1000; ++i) {
      (void)when_any(open, other);
      (void)when_all(std::vector{open, other});
      (void)when_some(2, open, other, other).wait_for(std::chrono::microseconds(1));
      auto waits_for_another = when_all(when_any(open, other), open);
    }
  };
  drop_often();
  EXPECT_EQ(hooks_in(open), 0u);
  async(drop_often).get();
  EXPECT_EQ(hooks_in(open), 0u);
  EXPECT_EQ(hooks_in(other), 0u);
  auto kept = when_any(open, other);
  EXPECT_EQ(hooks_in(open), 1u);
  later.set_value();
  EXPECT_EQ(kept.get().index, 1u);
  EXPECT_EQ(hooks_in(open), 0u);
  never.set_value();
}

TEST_P(when_test, results_that_are_dropped_while_they_become_ready) {
  for (int i = 0; i < 2000; ++i) {
    std::vector<promise<int>> promises(3);
    std::vector<shared_future<int>> inputs;
    for (auto& p : promises) inputs.push_back(p.get_future().share());
    auto any = when_any(inputs);
    auto two = when_some(2, inputs);
    auto all = when_all(inputs).then(launch::sync, [](auto ready) { return ready.get().size(); });
    task_group setters;
    for (auto& p : promises) setters.run([&] { p.set_value(1); });
    if (i % 2 == 0) two = {};
    if (i % 3 == 0) (void)any.get(); // and dropped at once
    any = {};
    setters.wait();
    EXPECT_EQ(all.get(), 3u);
  }
}

TEST_P(when_test, a_continuation_may_drop_what_it_waits_for) {
  promise<void> input;
  const shared_future<void> open = input.get_future().share();
  auto held = std::make_shared<future<when_any_result<std::tuple<shared_future<void>>>>>(when_any(open));
  auto first = open.then(launch::sync, [held](auto) { *held = {}; });
  auto second = when_any(open).share();
  auto last = second.then(launch::sync, [&](auto) { second = {}; });
  input.set_value();
  first.get();
  last.get();
}

TEST_P(when_test, no_value_goes_to_a_result_that_was_dropped) {
  channel<int> values;
  (void)when_any(values.get()).wait_for(std::chrono::milliseconds(1));
  (void)when_all(values.get(), values.get());
  values.set(5);
  EXPECT_EQ(values.get().get(), 5);
}

TEST_P(when_test, wait_each_attaches_once) {
  // Each future has at most one hook at a time, and none when somebody gives up.
  promise<void> never;
  std::vector<shared_future<void>> all{never.get_future().share()};
  for (int i = 0; i < 200; ++i) all.push_back(async([] {}).share());
  int called = 0;
  EXPECT_THROW(wait_each(
                   [&](shared_future<void>& f) {
                     f.get();
                     EXPECT_LE(hooks_in(all.front()), 1u);
                     if (++called == 200) throw std::runtime_error("enough");
                   },
                   all),
               std::runtime_error);
  EXPECT_EQ(called, 200);
  EXPECT_EQ(hooks_in(all.front()), 0u);
  never.set_value();
}

TEST_P(when_test, wait_each_sees_all_of_many_in_the_order_in_which_they_become_ready) {
  constexpr int k_count = 2000;
  std::vector<promise<int>> promises(k_count);
  std::vector<future<int>> futures;
  for (auto& p : promises) futures.push_back(p.get_future());
  latch attached(1); // to all
  auto setter = async([&] {
    attached.wait();
    for (int i = 1; i < k_count; ++i) promises[static_cast<std::size_t>((i * 7) % k_count)].set_value(i);
  });
  promises[0].set_value(0);
  int expected = 0;
  wait_each(
      [&](future<int>& f) {
        if (expected == 0) attached.count_down();
        EXPECT_EQ(f.get(), expected++);
      },
      futures);
  EXPECT_EQ(expected, k_count);
  for (const auto& f : futures) EXPECT_FALSE(f.valid()); // their states are gone, while others were still waited for
  setter.get();
}

TEST_P(when_test, inputs_that_race) {
  for (int i = 0; i < 300; ++i) {
    std::vector<shared_future<int>> inputs;
    for (int k = 0; k < 4; ++k) inputs.push_back(async([k] { return k; }).share());
    auto first = async([inputs] {
      auto any = when_any(inputs).get();
      return any.futures[any.index].get() == static_cast<int>(any.index);
    });
    auto two = async([inputs] { return when_some(2, inputs).get().indices.size() >= 2; });
    wait_some(3, inputs);
    int ready = 0;
    for (auto& f : inputs) ready += f.is_ready();
    EXPECT_GE(ready, 3);
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(two.get());
  }
}

TEST_P(when_test, deferred_futures_are_started) {
  auto first = async(launch::deferred, [] { return 1; });
  auto second = async(launch::deferred, [] { return 2; });
  wait_any(first, second);
  EXPECT_TRUE(first.is_ready() || second.is_ready());
  EXPECT_EQ(first.get() + second.get(), 3);
}

} // namespace
} // namespace treadle
