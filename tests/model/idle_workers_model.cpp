// src/task/idle_workers.hpp: no wake-up is lost. A worker that sleeps although there is a job for it shows as a deadlock.
#include "model/protocols.hpp"
#include "model/small_runtime.hpp"

namespace treadle::check {
namespace {

constexpr std::int64_t k_nap_ns = 100;

/// A foreign thread injects jobs one after the other and waits for each.
void inject(unsigned workers, int jobs, std::int64_t nap_ns = detail::k_forever_ns) {
  small_runtime runtime(workers);
  std::vector<thread> running;
  for (unsigned w = 0; w < workers; ++w) running.emplace_back([&runtime, w, nap_ns] { runtime.work(w, nap_ns); });
  for (int i = 0; i < jobs; ++i) {
    awaited a;
    runtime.inject(a);
    a.wait();
  }
  runtime.exit();
  for (thread& t : running) t.join();
}

/// Two foreign threads at once.
void inject_from_two() {
  small_runtime runtime(1);
  thread worker([&] { runtime.work(0); });
  const auto one = [&] {
    awaited a;
    runtime.inject(a);
    a.wait();
  };
  in_parallel({one, one});
  runtime.exit();
  worker.join();
}

/// A worker queues a job on its own deque and is busy for ever: another worker must come, also when it is not a backlog,
/// because nobody naps.
void push_and_stay_busy(std::int64_t nap_ns) {
  small_runtime runtime(2);
  thread helper([&] { runtime.work(1, nap_ns); });
  awaited a;
  runtime.push(0, a, false);
  a.wait();
  runtime.exit();
  helper.join();
}

/// Two jobs while the only other worker may be on its way to sleep: when all sleep, all queues are empty.
void push_and_search() {
  small_runtime runtime(2);
  awaited first, second;
  thread helper([&] { runtime.work(1); });
  thread owner([&] {
    runtime.push(0, first, false);
    runtime.push(0, second, true);
    runtime.work(0);
  });
  first.wait();
  second.wait();
  runtime.exit();
  helper.join();
  owner.join();
}

void exit_while_going_to_sleep(unsigned workers) {
  small_runtime runtime(workers);
  std::vector<thread> running;
  for (unsigned w = 0; w < workers; ++w) running.emplace_back([&runtime, w] { runtime.work(w); });
  runtime.exit();
  for (thread& t : running) t.join();
}

/// A deadline that is armed while a worker goes to sleep: it must not sleep past it.
void arm_a_timer() {
  small_runtime runtime(1);
  thread worker([&] { runtime.work(0); });
  runtime.arm(50);
  while (runtime.expired.load(order::acquire) == 0) detail::futex_wait(runtime.expired, 0);
  runtime.exit();
  worker.join();
}

} // namespace

std::vector<scenario> idle_workers_scenarios() {
  return {
      {"exit", [] { exit_while_going_to_sleep(1); }},
      {"exit_two", [] { exit_while_going_to_sleep(2); }},
      {"inject", [] { inject(1, 1); }},
      {"inject_again", [] { inject(1, 2); }},
      {"inject_napping", [] { inject(1, 1, k_nap_ns); }},
      {"inject_two_workers", [] { inject(2, 1); }},
      {"inject_from_two", inject_from_two},
      {"push", [] { push_and_stay_busy(detail::k_forever_ns); }},
      {"push_napping", [] { push_and_stay_busy(k_nap_ns); }},
      {"push_and_search", push_and_search},
      {"timer", arm_a_timer},
  };
}

} // namespace treadle::check
