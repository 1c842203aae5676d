#include "futures/config.hpp"
#include "in_tbb.hpp"

#include <tbb/task.h>
#include <tbb/task_group.h>

#include <atomic>

using namespace futures_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  tbb::task_group group;
  group.run([&left, n] { left = fib(n - 1); });
  const long right = fib(n - 2);
  group.wait();
  return left + right;
}

/// A turn that one task gives to another one: a binary semaphore for one that waits, by task::suspend().
class turn {
 public:
  void acquire() {
    if (m_state.exchange(nullptr, std::memory_order_acquire) == &m_given) return; // nobody waits: that is the caller
    tbb::task::suspend([this](tbb::task::suspend_point caller) {
      void* nobody = nullptr;
      if (m_state.compare_exchange_strong(nobody, caller, std::memory_order_acq_rel)) return;
      m_state.store(nullptr, std::memory_order_relaxed); // it was given meanwhile
      tbb::task::resume(caller);
    });
  }
  void release() {
    void* waiting = nullptr;
    if (m_state.compare_exchange_strong(waiting, &m_given, std::memory_order_acq_rel)) return;
    m_state.store(nullptr, std::memory_order_relaxed);
    tbb::task::resume(static_cast<tbb::task::suspend_point>(waiting));
  }

 private:
  char m_given = 0;
  std::atomic<void*> m_state{nullptr}; // null, &m_given, or who waits
};

bool block_resume() {
  turn ping, pong;
  tbb::task_group group;
  return take_turns(ping, pong, [&group](auto task) {
    group.run(task);
    return [&group] { group.wait(); };
  });
}

bool steal() {
  long sum = 0;
  tbb::task_group group;
  for (long i = 0; i < k_steals; ++i) {
    signal done;
    group.run([&sum, &done, i] {
      sum += i;
      done.set();
    });
    done.look_on();
    group.wait();
  }
  return is_sum_below(sum, k_steals);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] {
    bench::report_repeated("futures/async_get", k_async_get, [] {
      long sum = 0;
      tbb::task_group group;
      for (long i = 0; i < k_async_get; ++i) {
        long result = 0;
        group.run([&result, i] { result = i; });
        group.wait();
        sum += result;
      }
      return is_sum_below(sum, k_async_get);
    });
    bench::report_repeated("futures/fib", k_fib_tasks, [] { return fib(k_fib) == k_fib_result; });
    bench::report_repeated("futures/block_resume", 2 * k_round_trips, block_resume);
    if (workers > 1) bench::report_repeated("futures/steal", k_steals, steal);
  });
}
