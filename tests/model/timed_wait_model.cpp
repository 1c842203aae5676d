// src/task/wait/timed_wait.hpp: the state, the timer and the waiting side, in any order.
#include "base/sync/park.hpp"
#include "model/protocols.hpp"
#include "model/small_state.hpp"
#include "task/wait/timed_wait.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::check {
namespace {

struct small_wait;

/// One timer. The lock is held while it expires, so that after cancel() it does not.
struct small_timer_queue {
  void arm(small_wait& w) {
    {
      detail::scoped_lock guard(lock);
      next = &w;
    }
    armed.store(1, order::relaxed);
    detail::futex_wake(armed);
  }
  void cancel() {
    detail::scoped_lock guard(lock);
    next = nullptr;
  }
  void run_due();

  detail::spinlock lock;
  plain<small_wait*> next = nullptr;
  atomic<std::uint32_t> armed{0};
};

/// As timed_get in src/task/state/future_state.cpp, with a word for the waiter.
struct small_wait final : detail::timed_wait<small_state> {
  small_wait(small_state& s, plain<int>& n) : timed_wait(s), live(n) { live = live + 1; }
  ~small_wait() override { live = live - 1; }

  void wake() noexcept override {
    require(woken.exchange(1, order::release) == 0, "it is woken once");
    detail::futex_wake(woken);
  }
  bool block(small_timer_queue& timers) {
    timers.arm(*this);
    if (attach()) {
      while (woken.load(order::acquire) == 0) detail::futex_wait(woken, 0);
    }
    timers.cancel();
    return leave();
  }

  plain<int>& live;
  atomic<std::uint32_t> woken{0};
};

void small_timer_queue::run_due() {
  while (armed.load(order::relaxed) == 0) detail::futex_wait(armed, 0);
  detail::scoped_lock guard(lock);
  if (next) next->end();
  next = nullptr;
}

/// `completes`: the state becomes ready meanwhile; otherwise much later, and must not find the wait any more.
void wait_with_a_limit(bool completes) {
  plain<int> live = 0;
  small_timer_queue timers;
  auto* state = new small_state;
  auto* wait = new small_wait(*state, live);
  const auto complete = [=] {
    state->value = 7;
    state->waiting.complete();
  };
  std::vector<thread> running{thread([&] { timers.run_due(); })};
  if (completes) running.emplace_back(complete);
  if (wait->block(timers)) require(state->value == 7, "the value is there");
  for (thread& t : running) t.join();
  require(live == 0, "the wait is gone, whether the state has become ready or not");
  if (!completes) complete();
  state->release();
}

} // namespace

std::vector<scenario> timed_wait_scenarios() {
  return {
      {"timed_wait", [] { wait_with_a_limit(true); }},
      {"timed_wait_alone", [] { wait_with_a_limit(false); }},
  };
}

} // namespace treadle::check
