#include "futures/config.hpp"

#include <treadle/treadle.hpp>

using namespace futures_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto left = treadle::async([n] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.get() + right;
}

bool async_get() {
  long sum = 0;
  for (long i = 0; i < k_async_get; ++i) sum += treadle::async([i] { return i; }).get();
  return is_sum_below(sum, k_async_get);
}

bool dataflow_ready() {
  treadle::future<long> value = treadle::make_ready_future(0L);
  for (long i = 0; i < k_dataflow; ++i) {
    value = treadle::dataflow(
        treadle::launch::sync, [i](treadle::future<long> f) { return f.get() + i; }, std::move(value));
  }
  return is_sum_below(value.get(), k_dataflow);
}

bool block_resume() {
  treadle::binary_semaphore ping(0), pong(0);
  return take_turns(ping, pong,
                    [](auto task) { return [partner = treadle::async(task)]() mutable { partner.get(); }; });
}

bool steal() {
  long sum = 0;
  for (long i = 0; i < k_steals; ++i) {
    signal done;
    auto task = treadle::async([&, i] {
      sum += i;
      done.set();
    });
    done.look_on();
    task.get();
  }
  return is_sum_below(sum, k_steals);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] {
    bench::report_repeated("futures/async_get", k_async_get, async_get);
    bench::report_repeated("futures/fib", k_fib_tasks, [] { return fib(k_fib) == k_fib_result; });
    bench::report_repeated("futures/dataflow_ready", k_dataflow, dataflow_ready);
    bench::report_repeated("futures/block_resume", 2 * k_round_trips, block_resume);
    if (workers > 1) bench::report_repeated("futures/steal", k_steals, steal);
  }).get();
}
