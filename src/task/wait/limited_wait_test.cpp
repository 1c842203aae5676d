// Waits for futures that are given up, by time or by a stop token, and results that are dropped: beside each other,
// beside completion, and very many of them.
#include "base/rng.hpp"
#include "task/engine/runtime_fixture.hpp"
#include "task/wait/hooks_fixture.hpp"

#include <treadle/stop.hpp>
#include <treadle/treadle.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using namespace std::chrono_literals;
using testing::hooks_in;

struct counted final : detail::continuation {
  void fire() noexcept override { ++fired; }
  int fired = 0;
};

/// A list in which walking to each would take minutes.
class long_list_test : public ::testing::Test {
 protected:
  static constexpr std::size_t k_many = 500'000;

  long_list_test() : hooks(k_many), order(k_many) { std::iota(order.begin(), order.end(), std::size_t{0}); }
  ~long_list_test() override { state->release(); }

  void withdraw_all() {
    for (std::size_t i : order) EXPECT_TRUE(state->withdraw(hooks[i]));
    for (std::size_t i : order) EXPECT_EQ(hooks[i].fired, 0);
  }

  std::vector<counted> hooks;
  std::vector<std::size_t> order; // of withdrawal
  detail::value_state<int>* const state = new detail::value_state<int>;
};

TEST_F(long_list_test, the_oldest_leaves_first) {
  for (auto& h : hooks) state->attach(h);
  withdraw_all();
}

TEST_F(long_list_test, in_any_order) {
  for (auto& h : hooks) state->attach(h);
  detail::xorshift random(1);
  for (std::size_t i = k_many; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  withdraw_all();
}

TEST_F(long_list_test, while_it_grows) {
  std::size_t left = 0; // those before have gone
  for (std::size_t i = 0; i < k_many; ++i) {
    state->attach(hooks[i]);
    if (i % 2 == 0) continue;
    EXPECT_TRUE(state->withdraw(hooks[left++])); // the oldest
  }
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left));
  withdraw_all();
}

TEST(continuation_test, those_that_only_wake_are_fired_first) {
  struct numbered final : detail::continuation {
    void fire() noexcept override { seen->push_back(number); }
    bool only_wakes() const noexcept override { return number % 3 == 0; }
    std::vector<int>* seen = nullptr;
    int number = 0;
  };
  auto* state = new detail::value_state<int>;
  std::vector<int> seen;
  std::vector<numbered> twelve(12);
  for (int i = 0; i < 12; ++i) {
    auto& one = twelve[static_cast<std::size_t>(i)];
    one.seen = &seen;
    one.number = i;
    state->attach(one);
  }
  for (std::size_t i : {11u, 5u, 6u, 0u}) EXPECT_TRUE(state->withdraw(twelve[i]));
  EXPECT_FALSE(state->withdraw(twelve[5]));
  state->attach(twelve[6]);
  state->set_value(1);
  EXPECT_FALSE(state->withdraw(twelve[1]));
  state->release();
  EXPECT_EQ(seen, (std::vector{3, 9, 6, 1, 2, 4, 7, 8, 10}));
}

TEST(many_results_test, are_dropped_one_by_one) {
  promise<void> never;
  const shared_future<void> open = never.get_future().share();
  using result = decltype(when_any(open, open));
  std::vector<result> results;
  for (int i = 0; i < 100'000; ++i) results.push_back(when_any(open, open));
  for (result& r : results) r = {}; // the oldest first
  EXPECT_EQ(hooks_in(open), 0u);
}

class limited_wait_test : public testing::on_workers {};
TREADLE_ON_WORKERS(limited_wait_test);

TEST_P(limited_wait_test, who_is_blocked_goes_on_before_continuations_run) {
  promise<void> p;
  const shared_future<void> f = p.get_future().share();
  latch gone(3);
  auto last = f.then(launch::sync, [&](shared_future<void>) { gone.wait(); });
  std::stop_source source;
  std::vector<future<void>> waiting;
  waiting.push_back(async([&] {
    f.wait();
    gone.count_down();
  }));
  waiting.push_back(async([&] {
    EXPECT_EQ(f.wait_for(1h), future_status::ready);
    gone.count_down();
  }));
  waiting.push_back(async([&] {
    EXPECT_TRUE(f.wait(source.get_token()));
    gone.count_down();
  }));
  while (hooks_in(f) < 4) std::this_thread::yield();
  p.set_value();
  for (auto& w : waiting) w.get();
  last.get();
}

/// Somebody who waits for `f` in a way that the seed decides, and gives up or not.
void wait_somehow(const shared_future<int>& f, std::stop_token token, std::uint64_t seed) {
  detail::xorshift random(seed);
  for (bool ready = false; !ready && !token.stop_requested();) {
    switch (random.below(5)) {
    case 0:
      ready = f.wait_for(std::chrono::microseconds(random.below(200))) == future_status::ready;
      break;
    case 1:
      ready = f.wait(token);
      break;
    case 2: // dropped in the middle
      ready = when_any(f, f).wait_for(std::chrono::microseconds(random.below(50))) == future_status::ready;
      break;
    case 3: {
      std::stop_source own;
      auto stopper = async([own]() mutable { own.request_stop(); });
      ready = f.wait(own.get_token());
      stopper.get();
      break;
    }
    default:
      auto dropped = when_all(f, f);
      this_task::yield();
    }
    if (ready) {
      EXPECT_EQ(f.get(), 7);
    }
  }
}

TEST_P(limited_wait_test, limits_stops_drops_and_completion_race) {
  for (std::uint64_t round = 0; round < 150; ++round) {
    detail::xorshift random(round);
    promise<int> p;
    std::stop_source source;
    std::vector<future<void>> waiting;
    std::thread foreign;
    {
      const auto f = p.get_future().share();
      for (std::uint64_t i = 0; i < 8; ++i)
        waiting.push_back(async([=] { wait_somehow(f, source.get_token(), 100 * round + i); }));
      foreign = std::thread([=] { wait_somehow(f, source.get_token(), 100 * round + 99); });
    }
    this_task::sleep_for(std::chrono::microseconds(random.below(300)));
    if (random.below(2) == 0) source.request_stop();
    if (random.below(4) != 0)
      p.set_value(7);
    else
      source.request_stop(); // and broken later
    for (auto& w : waiting) w.get();
    foreign.join();
  }
}

} // namespace
} // namespace treadle
