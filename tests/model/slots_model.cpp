// src/task/idle/slots.hpp: no slot is lost or doubled, and no job is left to nobody when workers come and go. What is
// left shows as a deadlock.
#include "model/protocols.hpp"
#include "model/small_runtime.hpp"

namespace treadle::check {
namespace {

/// Jobs come while the number changes to each of these, and at last it is what it was.
void change(unsigned workers, std::vector<unsigned> numbers) {
  small_runtime runtime({.workers = workers});
  std::vector<thread> running;
  runtime.start(running);
  std::vector<awaited> jobs(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    runtime.inject(jobs[i]);
    runtime.on_duty.set_wanted(numbers[i]);
  }
  runtime.on_duty.set_wanted(workers);
  for (awaited& job : jobs) job.wait();
  runtime.exit();
  runtime.join(running);
}

/// Nobody sleeps on a slot that is one too many, also who was about to sleep when it became that.
void leave_a_bed() {
  small_runtime runtime({.workers = 1});
  std::vector<thread> running;
  runtime.start(running);
  runtime.on_duty.set_wanted(0);
  while (runtime.left.load(order::relaxed) == 0) detail::futex_wait(runtime.left, 0);
  runtime.exit();
  runtime.join(running);
}

/// What is in the queue of a worker that is sent off duty is for those that stay.
void leave_a_queue() {
  small_runtime runtime({.workers = 2});
  awaited first, second;
  std::vector<thread> running{thread([&] { runtime.workers[1]->run(); }), thread([&] {
                                runtime.push(0, first, false);
                                runtime.push(0, second, true);
                                runtime.workers[0]->run();
                              })};
  runtime.on_duty.set_wanted(1);
  first.wait();
  second.wait();
  runtime.exit();
  runtime.join(running);
}

/// Two threads change the number at the same time.
void change_from_two() {
  small_runtime runtime({.workers = 2});
  std::vector<thread> running;
  runtime.start(running);
  in_parallel({[&] { runtime.on_duty.set_wanted(0); }, [&] { runtime.on_duty.set_wanted(1); }});
  awaited job;
  runtime.inject(job);
  runtime.on_duty.set_wanted(1);
  job.wait();
  runtime.exit();
  runtime.join(running);
}

/// One of two may be active; the job of that one blocks until another job has run.
void lend() {
  struct blocking final : detail::job {
    blocking(small_runtime& r, awaited& o) : runtime(r), other(o) {}
    void run() noexcept override {
      runtime.here()->begin_lending();
      other.wait();
      runtime.here()->end_lending();
      done.run();
    }
    small_runtime& runtime;
    awaited& other;
    awaited done;
  };
  small_runtime runtime({.workers = 2});
  std::vector<thread> running;
  runtime.start(running);
  runtime.on_duty.set_wanted(1);
  awaited other;
  blocking job(runtime, other);
  runtime.inject(job);
  runtime.inject(other);
  job.done.wait();
  runtime.exit();
  runtime.join(running);
}

/// All is finished while its last worker leaves: who waits for that is told.
void drain_while_leaving() {
  small_runtime runtime({.workers = 1});
  std::vector<thread> running;
  runtime.start(running);
  awaited job;
  runtime.inject(job);
  in_parallel({[&] { runtime.wait_idle(); },
               [&] {
                 job.wait();
                 runtime.on_duty.set_wanted(0);
               }});
  runtime.exit();
  runtime.join(running);
}

/// Nothing but the slots.
void hand_over(unsigned workers) {
  detail::idle_workers idle(workers);
  detail::slots on_duty(idle, workers);
  on_duty.set_wanted(workers);
  for (unsigned i = 0; i < workers; ++i) on_duty.take();
  std::vector<thread> running;
  for (unsigned w = 0; w < workers; ++w)
    running.emplace_back([&, w] {
      for (int i = 0; i < 2; ++i)
        if (on_duty.has_surplus() && on_duty.leave(w)) on_duty.wait(w);
    });
  on_duty.set_wanted(1);
  on_duty.set_wanted(workers);
  for (thread& t : running) t.join();
  require(on_duty.active() == workers && !on_duty.has_surplus(), "all have their slots again");
  require(idle.count().load(order::relaxed) == 0, "nobody is asked for anything");
}

/// A worker that has left and cannot stay away has a slot again: of its own accord, or because it was handed one.
void come_back(unsigned workers, bool may_be_handed_one) {
  detail::idle_workers idle(workers);
  detail::slots on_duty(idle, workers);
  on_duty.set_wanted(workers);
  for (unsigned i = 0; i < workers; ++i) on_duty.take();
  thread returns([&] {
    if (on_duty.has_surplus() && on_duty.leave(0)) on_duty.come_back(0);
  });
  std::vector<thread> running;
  for (unsigned w = 1; w < workers; ++w)
    running.emplace_back([&, w] {
      if (on_duty.has_surplus() && on_duty.leave(w)) on_duty.wait(w);
    });
  on_duty.set_wanted(0);
  if (!may_be_handed_one) returns.join();
  on_duty.set_wanted(workers);
  if (may_be_handed_one) returns.join();
  for (thread& t : running) t.join();
  require(on_duty.active() == workers && !on_duty.has_surplus(), "all have their slots again");
  require(idle.count().load(order::relaxed) == 0, "nobody is asked for anything");
}

} // namespace

std::vector<scenario> slots_scenarios() {
  return {
      {"come_back_1", [] { come_back(1, true); }},
      {"come_back_2", [] { come_back(2, true); }},
      {"come_back_alone", [] { come_back(2, false); }},
      {"hand_over_2", [] { hand_over(2); }},
      {"hand_over_4", [] { hand_over(4); }},
      {"change_1", [] { change(1, {0}); }},
      {"change_2", [] { change(2, {1}); }},
      {"change_again", [] { change(2, {1, 0}); }},
      {"change_4", [] { change(4, {1, 3}); }},
      {"change_from_two", change_from_two},
      {"leave_a_bed", leave_a_bed},
      {"leave_a_queue", leave_a_queue},
      {"lend", lend},
      {"drain_while_leaving", drain_while_leaving},
  };
}

} // namespace treadle::check
