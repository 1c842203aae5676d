#include "task/engine/runtime_fixture.hpp"

#include <treadle/async.hpp>
#include <treadle/coroutine.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace treadle {
namespace {

class coroutine_test : public testing::on_workers {};
TREADLE_ON_WORKERS(coroutine_test);

future<int> add_one(future<int> input) {
  const int value = co_await std::move(input);
  co_return value + 1;
}

future<int> sum_to(int n) {
  int sum = 0;
  for (int i = 1; i <= n; ++i) {
    future<int> part = async([i] { return i; });
    sum += co_await std::move(part);
  }
  co_return sum;
}

future<std::string> describe(shared_future<int> input) {
  const int value = co_await input;
  co_return std::to_string(value);
}

future<void> fails() {
  future<void> broken = async([] { throw std::runtime_error("inside"); });
  co_await std::move(broken);
}

TEST_P(coroutine_test, awaits_ready_and_pending_futures) {
  EXPECT_EQ(add_one(make_ready_future(1)).get(), 2);
  EXPECT_EQ(add_one(add_one(async([] { return 1; }))).get(), 3);
  EXPECT_EQ(sum_to(100).get(), 5050);
  EXPECT_EQ(async([] { return sum_to(100).get(); }).get(), 5050);
  EXPECT_EQ(describe(async([] { return 12; }).share()).get(), "12");
}

/// Says when it is destroyed.
struct flagged {
  explicit flagged(std::atomic<bool>& f) : gone(&f) {}
  flagged(flagged&& other) noexcept : gone(std::exchange(other.gone, nullptr)) {}
  ~flagged() {
    if (!gone) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200)); // gives the one that waits time to be too early
    *gone = true;
  }
  std::atomic<bool>* gone;
};
future<int> with_locals(future<int> input, flagged parameter, std::atomic<bool>& local_gone) {
  const flagged local(local_gone);
  static_cast<void>(parameter);
  co_return co_await std::move(input);
}
future<void> fails_with_locals(future<int> input, std::atomic<bool>& local_gone) {
  const flagged local(local_gone);
  co_await std::move(input);
  throw std::runtime_error("inside");
}

TEST_P(coroutine_test, locals_and_arguments_are_gone_when_the_result_is_there) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> parameter{false}, local{false}, failed{false};
    EXPECT_EQ(with_locals(async([] { return 3; }), flagged(parameter), local).get(), 3);
    EXPECT_TRUE(parameter && local);
    EXPECT_THROW(fails_with_locals(async([] { return 3; }), failed).get(), std::runtime_error);
    EXPECT_TRUE(failed);
  }
}

future<int&> refers_to(int& number) {
  co_await async([] {});
  co_return number;
}

TEST_P(coroutine_test, references_are_returned) {
  int number = 1;
  refers_to(number).get() = 2;
  EXPECT_EQ(number, 2);
}

struct copy_throws {
  copy_throws() = default;
  copy_throws(const copy_throws&) { throw std::runtime_error("no copy"); }
};
future<copy_throws> returns_what_cannot_be_copied(const copy_throws& value) { co_return value; }

TEST_P(coroutine_test, a_result_that_cannot_be_made_is_an_exception) {
  EXPECT_THROW(returns_what_cannot_be_copied({}).get(), std::runtime_error);
}

TEST_P(coroutine_test, exceptions_travel) { EXPECT_THROW(fails().get(), std::runtime_error); }

} // namespace
} // namespace treadle
