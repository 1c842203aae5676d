// src/task/idle/idle_workers.hpp: no wake-up is lost. A worker that sleeps although there is a job for it shows as a
// deadlock.
#include "model/protocols.hpp"
#include "model/small_runtime.hpp"

namespace treadle::check {
namespace {

constexpr std::int64_t k_nap_ns = 100;

/// A foreign thread injects jobs one after the other and waits for each.
void inject(unsigned workers, int jobs, std::int64_t nap_ns = 0) {
  small_runtime runtime({.workers = workers, .nap_ns = nap_ns});
  std::vector<thread> running;
  runtime.start(running);
  for (int i = 0; i < jobs; ++i) {
    awaited a;
    runtime.inject(a);
    a.wait();
  }
  runtime.exit();
  runtime.join(running);
}

/// Two foreign threads at once.
void inject_from_two() {
  small_runtime runtime({.workers = 1});
  std::vector<thread> running;
  runtime.start(running);
  const auto one = [&] {
    awaited a;
    runtime.inject(a);
    a.wait();
  };
  in_parallel({one, one});
  runtime.exit();
  runtime.join(running);
}

/// The first job blocks its worker until the second has run: the worker that takes the first, as the last searcher,
/// must not leave the second to nobody.
void inject_two_that_need_each_other() {
  small_runtime runtime({.workers = 2});
  std::vector<thread> running;
  runtime.start(running);
  awaited second;
  waits_for first(second);
  runtime.inject(first);
  runtime.inject(second);
  second.wait();
  runtime.exit();
  runtime.join(running);
}

/// Each job goes on until somebody watches: the one that is idle while others are busy must, also after all were
/// parked, and after the one that watched has found a job.
void watch_the_busy(int jobs) {
  struct watched final : detail::job {
    explicit watched(small_runtime& r) : runtime(r) {}
    void run() noexcept override {
      while (!runtime.is_watched()) detail::cpu_relax();
      done.run();
    }
    small_runtime& runtime;
    awaited done;
  };
  small_runtime runtime({.workers = 2, .watched = true});
  std::vector<thread> running;
  runtime.start(running);
  for (int i = 0; i < jobs; ++i) {
    watched job(runtime);
    runtime.inject(job);
    job.done.wait();
  }
  runtime.exit();
  runtime.join(running);
}

/// A worker begins to be busy while the other one goes to sleep.
void watch_who_becomes_busy() {
  small_runtime runtime({.workers = 2, .watched = true});
  std::vector<thread> running{thread([&] { runtime.workers[1]->run(); })};
  runtime.workers[0]->look_busy();
  while (!runtime.is_watched()) detail::cpu_relax();
  runtime.exit();
  runtime.join(running);
}

/// A worker queues a job on its own queue and is busy for ever: another worker must come, also when it is not a
/// backlog, because nobody naps for ever.
template <class Queue = detail::basic_deque<2>>
void push_and_stay_busy(bool backlog, std::int64_t nap_ns) {
  basic_small_runtime<Queue> runtime({.workers = 2, .nap_ns = nap_ns});
  std::vector<thread> running{thread([&] { runtime.workers[1]->run(); })};
  awaited a;
  runtime.push(0, a, backlog);
  a.wait();
  runtime.exit();
  runtime.join(running);
}

/// Two jobs while the only other worker may be on its way to sleep: when all sleep, all queues are empty.
template <class Queue = detail::basic_deque<2>>
void push_and_search() {
  basic_small_runtime<Queue> runtime({.workers = 2});
  awaited first, second;
  std::vector<thread> running{thread([&] { runtime.workers[1]->run(); }), thread([&] {
                                runtime.push(0, first, false);
                                runtime.push(0, second, true);
                                runtime.workers[0]->run();
                              })};
  first.wait();
  second.wait();
  runtime.exit();
  runtime.join(running);
}

void exit_while_going_to_sleep(unsigned workers) {
  small_runtime runtime({.workers = workers});
  std::vector<thread> running;
  runtime.start(running);
  runtime.exit();
  runtime.join(running);
}

/// A deadline that is armed while a worker goes to sleep: it must not sleep past it.
void arm_a_timer() {
  small_runtime runtime({.workers = 1});
  std::vector<thread> running;
  runtime.start(running);
  runtime.arm(50);
  while (runtime.expired.load(order::acquire) == 0) detail::futex_wait(runtime.expired, 0);
  runtime.exit();
  runtime.join(running);
}

/// The same while a job comes that is not done before the deadline: the worker that takes it, as the last that
/// searches, must leave the deadline to the other one.
void arm_a_timer_beside_a_job() {
  struct waiting final : detail::job {
    explicit waiting(small_runtime& r) : runtime(r) {}
    void run() noexcept override {
      while (runtime.expired.load(order::acquire) == 0) detail::futex_wait(runtime.expired, 0);
      done.run();
    }
    small_runtime& runtime;
    awaited done;
  };
  small_runtime runtime({.workers = 2});
  std::vector<thread> running;
  runtime.start(running);
  waiting job(runtime);
  runtime.inject(job);
  runtime.arm(50);
  job.done.wait();
  runtime.exit();
  runtime.join(running);
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
      {"inject_two_jobs", inject_two_that_need_each_other},
      {"inject_from_two", inject_from_two},
      {"push", [] { push_and_stay_busy(false, 0); }},
      {"push_napping", [] { push_and_stay_busy(false, k_nap_ns); }},
      {"push_backlog_napping", [] { push_and_stay_busy(true, k_nap_ns); }},
      {"push_and_search", push_and_search<>},
      {"push_ordered", [] { push_and_stay_busy<ordered_queue>(false, 0); }},
      {"push_ordered_backlog_napping", [] { push_and_stay_busy<ordered_queue>(true, k_nap_ns); }},
      {"push_ordered_and_search", push_and_search<ordered_queue>},
      {"push_mixed_and_search", push_and_search<mixed_queue>},
      {"timer", arm_a_timer},
      {"timer_beside_a_job", arm_a_timer_beside_a_job},
      {"watch_begins", watch_who_becomes_busy},
      {"watch", [] { watch_the_busy(1); }},
      {"watch_again", [] { watch_the_busy(2); }},
  };
}

} // namespace treadle::check
