#pragma once

#include "measure.hpp"

#include <atomic>
#include <sched.h>

/// The cost of one future, in five workloads. A rival takes part in those that it can express.
///   async_get       one task created and waited for, by one task, nothing else going on
///   fib             fib(25) by one task per call and a wait: 242 785 tasks, the usual shape of divide and conquer
///   dataflow_ready  a node whose input is ready, run directly
///   block_resume    two tasks that wake each other: every operation is one block and one resume
///   steal           a task is created and its creator only looks on until another worker has run it
namespace futures_bench {

constexpr long k_async_get = 100'000;
constexpr long k_std_async_get = 1'000; // a thread each
constexpr int k_fib = 25;
constexpr long k_fib_result = 75'025;
constexpr long k_fib_tasks = 242'785;
constexpr long k_dataflow = 100'000;
constexpr long k_round_trips = 10'000;
constexpr long k_steals = 2'000;

constexpr bool is_sum_below(long sum, long n) { return sum == n * (n - 1) / 2; }

/// The two tasks of block_resume: `start(task)` starts one and returns a function that waits for its end. Whether all
/// turns were taken.
template <class Turn, class Start>
bool take_turns(Turn& ping, Turn& pong, Start start) {
  long turns = 0; // handed over with `ping` and `pong`
  auto wait = start([&] {
    for (long i = 0; i < k_round_trips; ++i) {
      ping.acquire();
      ++turns;
      pong.release();
    }
  });
  for (long i = 0; i < k_round_trips; ++i) {
    ping.release();
    pong.acquire();
    ++turns;
  }
  wait();
  return turns == 2 * k_round_trips;
}

/// Tells the creator of a task that another worker ran it; the creator must not help.
class signal {
 public:
  void set() { m_set.store(true, std::memory_order_release); } // pairs with look_on: what the task wrote
  void look_on() const {
    for (int looks = 0; !m_set.load(std::memory_order_acquire); ++looks) {
      if (looks > 10'000) sched_yield(); // when there are more workers than cores
    }
  }

 private:
  std::atomic<bool> m_set = false;
};

} // namespace futures_bench
