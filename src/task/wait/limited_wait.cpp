#include "task/wait/limited_wait.hpp"

#include "task/engine/scheduler.hpp"

#include <treadle/detail/deadline.hpp>
#include <treadle/detail/stop_signal.hpp>
#include <treadle/detail/waiter.hpp>

namespace treadle::detail {
namespace {

struct alarm final : timer {
  alarm(limited_wait<waiter>& w, bool sleeps) noexcept : wait(w), wakes_a_sleeper(sleeps) {}
  void expire() noexcept override { wait.give_up(); }
  bool is_limit() const noexcept override { return !wakes_a_sleeper; }
  limited_wait<waiter>& wait;
  const bool wakes_a_sleeper;
};

void block_task(limited_wait<waiter>& wait, scheduler& here, std::int64_t deadline_ns, bool sleeps) noexcept {
  if (deadline_ns == k_no_deadline) return wait.self.block();
  alarm at_deadline(wait, sleeps);
  here.arm(at_deadline, deadline_ns);
  wait.self.block();
  here.timers.cancel(at_deadline);
}

} // namespace

bool block_within_limits(limited_wait<waiter>& wait, std::int64_t deadline_ns, stop_signal* stop,
                         bool sleeps) noexcept {
  const calling until_stopped(stop, [](void* w) noexcept { static_cast<limited_wait<waiter>*>(w)->give_up(); }, &wait);
  if (worker* w = this_worker()) {
    block_task(wait, w->owner(), deadline_ns, sleeps);
  } else if (!wait.self.block_thread_until(deadline_ns)) {
    if (wait.withdraw()) return false;
    wait.self.await_notification(); // somebody took it out just now
  }
  return !wait.was_given_up();
}

} // namespace treadle::detail
