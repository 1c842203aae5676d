// src/task/wait/limited_wait.hpp: the state, the limit and the waiting side, in any order.
#include "base/sync/park.hpp"
#include "model/protocols.hpp"
#include "model/small_state.hpp"
#include "model/small_waiter.hpp"
#include "task/wait/limited_wait.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::check {
namespace {

using small_wait = detail::limited_wait_for_state<small_state, small_waiter>;

/// One timer, or a stop_source. The lock is held while it gives up, so that after cancel() it does not.
struct small_limit {
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
  void run_out() {
    while (armed.load(order::relaxed) == 0) detail::futex_wait(armed, 0);
    detail::scoped_lock guard(lock);
    if (next) next->give_up();
    next = nullptr;
  }

  detail::spinlock lock;
  plain<small_wait*> next = nullptr;
  atomic<std::uint32_t> armed{0};
};

/// As future_state::block_within(), for the owner of a share of the state, which goes at once. True when ready.
bool wait_within(small_limit& limit, small_state& state) {
  bool ready = true;
  {
    small_wait wait(state);
    if (state.try_attach(wait)) {
      limit.arm(wait);
      wait.self.block();
      limit.cancel();
      ready = !wait.was_given_up();
    } else {
      limit.arm(wait), limit.cancel(); // so that it runs out
    }
  }
  if (ready) require(state.value == 7, "the value is there");
  state.release();
  return ready;
}

/// `completes`: the state becomes ready meanwhile; otherwise much later, and must not find the wait any more.
void wait_with_a_limit(bool completes) {
  small_limit limit;
  auto* state = new small_state;
  state->add_ref();
  const auto complete = [=] {
    state->value = 7;
    state->complete();
    state->release();
  };
  std::vector<thread> running{thread([&] { limit.run_out(); })};
  if (completes) running.emplace_back(complete);
  const bool ready = wait_within(limit, *state);
  for (thread& t : running) t.join();
  if (completes) return;
  require(!ready, "the limit ended it");
  complete();
}

/// The thread beside it gives up, too, by a time-out of its own; and both stand between others in the list.
void two_give_up(bool completes) {
  struct bystander final : detail::continuation {
    void fire() noexcept override { fired = fired + 1; }
    plain<int> fired = 0;
  } first, last;
  auto* state = new small_state;
  state->add_ref();
  state->attach(first);
  const auto wait_and_time_out = [&] { // as block_within_limits() of a thread
    small_wait wait(*state);
    if (!state->try_attach(wait)) return;
    if (wait.withdraw()) return;
    wait.self.block();
    require(state->value == 7, "the value is there");
  };
  std::vector<std::function<void()>> threads{wait_and_time_out, wait_and_time_out};
  const auto complete = [&] {
    state->value = 7;
    state->complete();
    state->release();
  };
  if (completes)
    threads.push_back(complete);
  else
    threads.push_back([&] { state->attach(last); });
  in_parallel(threads);
  if (!completes) complete();
  require(first.fired == 1, "the others stay");
  require(completes || last.fired == 1, "the others stay");
  state->release();
}

} // namespace

std::vector<scenario> limited_wait_scenarios() {
  return {
      {"limited_wait", [] { wait_with_a_limit(true); }},
      {"limited_wait_alone", [] { wait_with_a_limit(false); }},
      {"two_give_up", [] { two_give_up(false); }},
      {"two_give_up_or_see_the_value", [] { two_give_up(true); }},
  };
}

} // namespace treadle::check
