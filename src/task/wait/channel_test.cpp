#include "task/engine/runtime_fixture.hpp"

#include <treadle/treadle.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace treadle {
namespace {

class channel_test : public testing::on_workers {};
TREADLE_ON_WORKERS(channel_test);

TEST_P(channel_test, a_dropped_get_takes_no_value) {
  channel<std::string> words;
  {
    auto dropped = words.get();
  }
  auto waits = words.get();
  {
    auto dropped = words.get();
  }
  words.set("first");
  EXPECT_EQ(waits.get(), "first");
  words.set("second");
  words.set("third");
  EXPECT_EQ(words.get(launch::sync), "second");
  EXPECT_EQ(words.get(launch::sync), "third");
}

TEST_P(channel_test, a_get_that_timed_out_takes_no_value) {
  channel<int> numbers;
  const auto impatient = [&] {
    auto next = numbers.get();
    return next.wait_for(std::chrono::microseconds(1)) == future_status::ready;
  };
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(impatient());
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(async(impatient).get());
    numbers.set(5);
    EXPECT_EQ(numbers.get(launch::sync), 5);
  }
}

TEST_P(channel_test, a_continuation_of_a_get_takes_its_value) {
  channel<int> numbers;
  int got = 0;
  static_cast<void>(numbers.get().then(launch::sync, [&](future<int> n) { got = n.get(); }));
  numbers.set(4);
  EXPECT_EQ(got, 4);
}

TEST_P(channel_test, dropped_gets_do_not_pile_up_behind_one_that_waits) {
  channel<int> numbers;
  auto waits = numbers.get();
  const std::uint64_t before = detail::slab_bytes();
  for (int i = 0; i < 100'000; ++i) static_cast<void>(numbers.get());
  EXPECT_LT(detail::slab_bytes() - before, 1u << 20);
  EXPECT_EQ(numbers.close(), 1u);
  EXPECT_THROW(waits.get(), channel_closed);
}

struct throws_when_moved {
  explicit throws_when_moved(int n) : number(n) {}
  throws_when_moved(throws_when_moved&& other) : number(other.number) {
    if (--moves == 0) throw std::runtime_error("moved too often");
  }
  int number;
  static inline int moves = 1000;
};

TEST_P(channel_test, a_value_that_cannot_be_moved_is_an_exception_on_both_sides) {
  throws_when_moved::moves = 1000;
  channel<throws_when_moved> values;
  auto waits = values.get();
  throws_when_moved::moves = 1; // to the receiver
  EXPECT_THROW(values.set(throws_when_moved(1)), std::runtime_error);
  throws_when_moved::moves = 1000;
  EXPECT_THROW(waits.get(), std::runtime_error);
  values.set(throws_when_moved(2));
  EXPECT_EQ(values.get(launch::sync).number, 2);
}

/// A value whose move would deadlock if it ran under the channel's lock.
struct looks_into_the_channel {
  explicit looks_into_the_channel(channel<looks_into_the_channel>* c) : from(c) {}
  looks_into_the_channel(looks_into_the_channel&& other) noexcept : from(other.from) { look(); }
  looks_into_the_channel& operator=(looks_into_the_channel&&) = default;
  void look() const {
    if (!from) return;
    const auto dropped = from->get(); // takes the lock
  }
  channel<looks_into_the_channel>* from;
};

TEST_P(channel_test, values_are_moved_without_the_lock) {
  channel<looks_into_the_channel> values;
  values.set(looks_into_the_channel(&values));
  auto waits = values.get();
  EXPECT_EQ(waits.get().from, &values);
  waits = values.get();
  values.set(looks_into_the_channel(&values));
  EXPECT_EQ(waits.get().from, &values);
}

TEST_P(channel_test, the_last_copy_breaks_the_promise) {
  future<int> orphan;
  {
    channel<int> numbers;
    orphan = numbers.get();
  }
  EXPECT_THROW(orphan.get(), future_error);
}

TEST_P(channel_test, no_sender_waits_while_there_is_room) {
  // More senders than room, and receivers that take what is handed to them directly.
  for (std::size_t capacity : {1u, 2u, 5u}) {
    channel<int> numbers(capacity);
    std::vector<future<void>> senders;
    for (int s = 0; s < 8; ++s) {
      senders.push_back(async([numbers]() mutable {
        for (int i = 0; i < 50; ++i) numbers.set(i);
      }));
    }
    std::vector<future<long>> receivers;
    for (int r = 0; r < 2; ++r) {
      receivers.push_back(async([numbers]() mutable {
        long sum = 0;
        for (int i = 0; i < 200; ++i) sum += numbers.get(launch::sync);
        return sum;
      }));
    }
    long sum = 0;
    for (auto& r : receivers) sum += r.get();
    for (auto& s : senders) s.get();
    EXPECT_EQ(sum, 8 * 49 * 50 / 2);
  }
}

} // namespace
} // namespace treadle
