#include <treadle/parallel_invoke.hpp>
#include <treadle/this_task.hpp>

#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/forked_task.hpp"
#include "task/engine/scheduler.hpp"
#include "task/wait/limited_wait.hpp"

#include <cerrno>
#include <utility>

#include <time.h>

namespace treadle::this_task {

using namespace treadle::detail;

void yield() {
  if (!on_worker()) {
    std::this_thread::yield();
    return;
  }
  waiter self;
  self.block(
      [](void* argument) {
        static_cast<waiter*>(argument)->queue_behind(); // which is served when a worker's own deque is empty
        return true;
      },
      &self);
}

void sleep_for_ns(std::int64_t ns) {
  if (ns <= 0) return;
  worker* w = this_worker();
  if (!w) {
    timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    return;
  }
  struct sleeper final : timer {
    void expire() noexcept override { self.notify(); } // nothing may follow: it may be gone
    waiter self;
  } state;
  prepare_to_block();
  const std::int64_t now = steady_now_ns();
  w->owner().arm(state, ns < timer_queue::k_never - now ? now + ns : timer_queue::k_never);
  state.self.block();
}

int worker_index() noexcept {
  worker* w = this_worker();
  return w ? static_cast<int>(w->index()) : -1;
}

} // namespace treadle::this_task

namespace treadle::detail {

bool sleep_until_stopped(std::int64_t deadline_ns, stop_signal& stop) {
  struct sleeper final : limited_wait<waiter> {
    bool withdraw() noexcept override { return awake.exchange(1, order::relaxed) == 0; } // notify() publishes
    atomic<std::uint32_t> awake{0};
  } wait;
  prepare_to_block();
  block_within_limits(wait, deadline_ns, &stop, true);
  return !stop.is_requested();
}

void run_on_fresh_stack(void (*call)(void*), void* argument) {
  if (!on_worker()) return run_on_worker(call, argument);
  struct fresh {
    waiter self;
    void (*call)(void*);
    void* argument;
    task_fiber& caller;
  } state{{}, call, argument, this_worker()->stacks.current()};
  state.self.block(
      [](void* a) {
        auto* s = static_cast<fresh*>(a);
        // The task is on this stack from here on.
        task_stack& here = *this_task_stack();
        here.running = s->caller.tasks.running;
        forget_paths(here);
        here.paths = std::exchange(s->caller.tasks.paths, nullptr);
        here.samples = s->caller.tasks.samples; // they go on here
        const std::int64_t began = here.samples != 0 ? ticks_now() - here.suspended_ticks : 0;
        s->caller.is_blocked = false;
        if (here.running) tell(event_kind::task_resumed, *here.running->task);
        s->call(s->argument); // may suspend and go on elsewhere
        if (TREADLE_UNLIKELY(forked_in_task.load(order::relaxed))) end_forked_task();
        if (here.running) tell(event_kind::task_suspended, *here.running->task);
        here.running = nullptr;
        s->caller.tasks.paths = std::exchange(here.paths, nullptr);
        if (std::exchange(here.samples, 0) != 0) // the caller's stack was left meanwhile, but not the task
          s->caller.tasks.suspended_ticks -= ticks_now() - here.suspended_ticks - began;
        return false; // go on with the caller
      },
      &state);
}

} // namespace treadle::detail
