#pragma once

#include <treadle/detail/continuation.hpp>

namespace treadle::detail {

class stop_signal;
class waiter;

/// A wait that can be given up, when its time has passed or a stop is requested. It lives on the stack of the one that
/// waits, who must not leave it before `self` is notified. The one that takes it out of where it can be found, a list
/// of waiters or of continuations, does that, with the last access to this object. docs/design/task.md
template <class Waiter>
class limited_wait {
 public:
  /// By the limit, any time between the beginning of the wait and the waiter's next step.
  void give_up() noexcept {
    if (!withdraw()) return; // what was waited for was first, and notifies
    m_given_up = true;
    self.notify();
  }
  /// For a waiter that was notified.
  bool was_given_up() const noexcept { return m_given_up; }
  /// Takes this out; false when somebody else has, and notifies.
  virtual bool withdraw() noexcept = 0;

  Waiter self;

 protected:
  ~limited_wait() = default;

 private:
  plain<bool> m_given_up = false;
};

/// The wait for a state, which the waiting side keeps alive. This does not: a state without futures counts as one that
/// nobody waits for. `State` is future_state, or whatever can be attached to: tests/model/limited_wait_model.cpp.
template <class State, class Waiter>
class limited_wait_for_state final : public limited_wait<Waiter>, public continuation {
 public:
  explicit limited_wait_for_state(State& state) noexcept : m_state(state) {}
  void fire() noexcept override { this->self.notify(); }
  bool only_wakes() const noexcept override { return true; }
  bool withdraw() noexcept override { return m_state.withdraw(*this); }

 private:
  State& m_state;
};

/// Blocks, after prepare_to_block() and when others can find the wait already; false when it was given up, because of
/// `deadline_ns` of the steady clock (or k_no_deadline) or of `stop` (may be null). `sleeps`: there is nothing else to
/// wait for.
bool block_within_limits(limited_wait<waiter>& wait, std::int64_t deadline_ns, stop_signal* stop,
                         bool sleeps = false) noexcept;

} // namespace treadle::detail
