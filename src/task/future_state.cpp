#include <treadle/detail/future_state.hpp>
#include <treadle/detail/intrusive_ptr.hpp>

#include "base/clock.hpp"
#include "task/scheduler.hpp"

#include <system_error>

namespace treadle::detail {

void future_state::run() noexcept {
  run_unqueued();
  release();
  this_worker()->counters.count_finished();
}

bool future_state::discard_if_done() noexcept {
  if (m_claim.state() != claim_word::k_claimed) return false;
  run(); // finds the claim taken
  return true;
}

namespace {

/// A get() that suspends.
class blocked_get final : public continuation {
 public:
  explicit blocked_get(future_state& state) noexcept : m_state(state) {}
  void block() {
    m_waiter.block([](void* self) { return static_cast<blocked_get*>(self)->publish(); }, this);
  }
  void fire() noexcept override { m_waiter.notify(); }

 private:
  bool publish() noexcept { return m_state.try_attach(*this); }

  waiter m_waiter;
  future_state& m_state;
};

/// A get() with a time limit: the state and the timer race to end it. On the heap, shared with the state as long as it
/// is attached: a completing thread that has taken the list of continuations may fire it late.
class timed_get final : public continuation, public timer {
 public:
  timed_get(future_state& state, std::int64_t deadline_ns) noexcept
      : m_state(intrusive_ptr<future_state>::share(&state)), m_deadline_ns(deadline_ns) {
    if (worker* w = this_worker()) m_scheduler = &w->owner();
  }

  bool block() {
    if (m_scheduler) {
      try {
        m_waiter.block([](void* self) { return static_cast<timed_get*>(self)->publish(); }, this);
      } catch (...) {
        delete this; // nobody knows it yet
        throw;
      }
      m_scheduler->timers.cancel(*this, m_deadline_ns);
    } else if (!m_waiter.block_thread_until([](void* self) { return static_cast<timed_get*>(self)->publish(); }, this,
                                            m_deadline_ns) &&
               !decide()) {
      m_waiter.await_notification(); // the state was faster by a moment and is about to notify
    }
    const bool ready = m_state->is_ready();
    if (!ready) {
      m_abandoned.store(1, order::seq_cst); // with the load in publish(): one of the two sees the node attached
      take_back();
    }
    release();
    return ready;
  }
  void fire() noexcept override {
    if (decide()) m_waiter.notify();
    release();
  }
  void expire() noexcept override {
    if (decide()) m_waiter.notify();
  }

 private:
  bool publish() noexcept {
    // The timer first: when it expires at once and the caller goes on, this object still has the state's share.
    const auto keep = m_state;
    if (m_scheduler) m_scheduler->arm(*this, m_deadline_ns);
    add_ref(); // the caller may go on, and the state fire, before this function is through
    const bool attached = keep->try_attach(*this);
    bool go_on = false;
    if (!attached) {
      go_on = decide(); // otherwise the timer's notify() is on the way
      release();        // the state's share
    } else if (m_abandoned.load(order::seq_cst) != 0) {
      take_back();
    }
    release();
    return !go_on;
  }
  void take_back() noexcept {
    if (m_state->withdraw(*this)) release(); // the state's share
  }
  bool decide() noexcept { return m_decided.exchange(1, order::acq_rel) == 0; }
  void add_ref() noexcept { m_refs.fetch_add(1, order::relaxed); }
  void release() noexcept {
    if (m_refs.fetch_sub(1, order::acq_rel) == 1) delete this;
  }

  waiter m_waiter;
  intrusive_ptr<future_state> m_state;
  const std::int64_t m_deadline_ns;
  scheduler* m_scheduler = nullptr; // null on a foreign thread
  atomic<std::uint32_t> m_decided{0};
  atomic<std::uint32_t> m_abandoned{0}; // the caller has gone on without the value
  atomic<std::uint32_t> m_refs{2};      // the blocked caller and the state
};

} // namespace

void future_state::wait_slow() {
  const std::uint32_t claimable = m_claim.state();
  if (claimable == claim_word::k_deferred) {
    if (stack_has_room())
      run_unqueued();
    else
      start_deferred();
  } else if (claimable == claim_word::k_available && stack_has_room()) {
    if (worker* w = this_worker()) w->run_in_place(*this);
  }
  if (!is_ready()) blocked_get(*this).block();
}

void future_state::start_deferred_slow() noexcept {
  if (!m_claim.end_deferral()) return;
  add_ref();
  schedule_or_fail(); // whoever comes first, a worker or a waiting get(), wins the claim
}

void future_state::schedule_or_fail() noexcept {
  try {
    schedule(*this);
  } catch (...) {
    if (m_claim.claim()) complete_with(std::current_exception());
    release();
  }
}

bool future_state::wait_until(std::int64_t deadline_ns) {
  if (is_ready()) return true;
  if (deadline_ns <= steady_now_ns()) return false;
  return (new timed_get(*this, deadline_ns))->block();
}

void schedule(future_state& task) {
  if (worker* w = this_worker()) {
    w->counters.created.increment_unshared();
    w->push(task);
  } else {
    scheduler& s = enter_current_scheduler();
    s.injected_tasks.fetch_add(1, order::relaxed);
    s.inject(task);
    s.leave();
  }
}

void schedule_fork(future_state& task) {
  if (!on_worker()) return schedule(task);
  struct exposed {
    waiter creator;
    future_state* task;
  } state{{}, &task};
  try {
    state.creator.block(
        [](void* argument) {
          auto* self = static_cast<exposed*>(argument);
          future_state* child = self->task;
          this_worker()->counters.created.increment_unshared();
          self->creator.notify(); // from here on the creator may run elsewhere and its frame be gone
          child->run();
          return true;
        },
        &state);
  } catch (const std::system_error&) { // no stack to be had: let others start the child instead
    schedule(task);
  }
}

} // namespace treadle::detail
