#include "task/runtime_fixture.hpp"

#include <treadle/async.hpp>
#include <treadle/coroutine.hpp>

#include <stdexcept>
#include <string>

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

TEST_P(coroutine_test, exceptions_travel) { EXPECT_THROW(fails().get(), std::runtime_error); }

} // namespace
} // namespace treadle
