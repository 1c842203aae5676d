// The explorer itself: what it must find, and that a failure can be replayed.
#include "base/sync/park.hpp"
#include "model/check/explore.hpp"

#include <treadle/detail/spinlock.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace treadle::check {
namespace {

using detail::atomic;
using detail::plain;

TEST(explorer, finds_a_data_race) {
  const auto program = [](order write, order read) {
    return [=] {
      atomic<int> flag{0};
      plain<int> data = 0;
      in_parallel({[&] { data = 1, flag.store(1, write); },
                   [&] {
                     if (flag.load(read)) require(data == 1, "data arrived");
                   }});
    };
  };
  const result sound = explore("handover", program(order::release, order::acquire));
  EXPECT_FALSE(sound.failure) << sound.report;
  for (const auto& racy : {program(order::relaxed, order::acquire), program(order::release, order::relaxed)}) {
    const result r = explore("handover", racy);
    ASSERT_TRUE(r.failure);
    EXPECT_NE(r.failure->find("data race"), std::string::npos) << r.report;
    EXPECT_NE(r.report.find("explorer_test.cpp"), std::string::npos) << r.report;
  }
}

TEST(explorer, finds_a_deadlock) {
  const result r = explore("two_locks", [] {
    detail::spinlock a, b;
    atomic<std::uint32_t> held{0};
    const auto take_both = [&](detail::spinlock& first, detail::spinlock& second) {
      first.lock();
      second.lock();
      second.unlock();
      first.unlock();
    };
    in_parallel({[&] { take_both(a, b); }, [&] { take_both(b, a); }});
  });
  ASSERT_TRUE(r.failure);
  EXPECT_NE(r.failure->find("no progress"), std::string::npos) << *r.failure;
}

/// One thread waits for a flag on a futex, another one raises it.
void handshake(bool look_first) {
  atomic<std::uint32_t> ready{0}, asleep{0};
  in_parallel({[&] {
                 if (look_first && ready.load(order::acquire)) return;
                 detail::futex_wait(look_first ? ready : asleep, 0);
               },
               [&] { ready.store(1, order::release), detail::futex_wake(look_first ? ready : asleep); }});
}

TEST(explorer, finds_a_lost_wakeup) {
  const result sound = explore("handshake", [] { handshake(true); });
  EXPECT_FALSE(sound.failure) << sound.report;
  const result r = explore("handshake", [] { handshake(false); });
  ASSERT_TRUE(r.failure);
  EXPECT_NE(r.failure->find("deadlock"), std::string::npos) << r.report;
}

TEST(explorer, finds_use_after_the_end) {
  const auto program = [](order drop) {
    return [=] {
      auto* count = new atomic<int>(2);
      const auto release = [=] {
        if (count->fetch_sub(1, drop) == 1) delete count;
      };
      in_parallel({release, release});
    };
  };
  EXPECT_FALSE(explore("count", program(order::acq_rel)).failure);
  const result r = explore("count", program(order::release));
  ASSERT_TRUE(r.failure);
  EXPECT_NE(r.failure->find("destroyed while another thread uses it"), std::string::npos) << r.report;
}

TEST(explorer, finds_an_exception_and_goes_on) {
  const result r = explore("exception", [] { in_parallel({[] { throw std::runtime_error("thrown here"); }}); });
  ASSERT_TRUE(r.failure);
  EXPECT_NE(r.failure->find("thrown here"), std::string::npos);
  EXPECT_FALSE(explore("nothing", [] {}).failure);
}

TEST(explorer, gives_up_at_the_limit_and_says_so) {
  const auto program = [] {
    atomic<int> x{0};
    const auto count = [&] {
      for (int i = 0; i < 5; ++i) x.fetch_add(1, order::relaxed);
    };
    in_parallel({count, count, count});
    require(x.load(order::relaxed) == 15, "all counted");
  };
  const result r = explore("counting", program, {.depth_first = 10, .random = 5});
  EXPECT_FALSE(r.failure) << r.report;
  EXPECT_FALSE(r.complete);
  EXPECT_TRUE(explore("counting", program).complete);
}

TEST(explorer, replays_a_failure) {
  const auto program = [] { handshake(false); };
  const result found = explore("handshake", program);
  ASSERT_TRUE(found.failure);
  EXPECT_EQ(explore("handshake", program).report, found.report); // deterministic
  EXPECT_GT(found.executions, 1u);

  const std::string mark = "TREADLE_MODEL_REPLAY=";
  std::string line = found.report.substr(found.report.find(mark) + mark.size());
  line.erase(line.find('\n'));
  setenv("TREADLE_MODEL_REPLAY", line.c_str(), 1);
  const result replayed = explore("handshake", program);
  const result another = explore("nothing", [] {});
  unsetenv("TREADLE_MODEL_REPLAY");
  EXPECT_EQ(replayed.executions, 1u);
  EXPECT_EQ(replayed.report, found.report);
  EXPECT_TRUE(another.complete); // not the one that was asked for
}

} // namespace
} // namespace treadle::check
