#pragma once

#include <treadle/detail/continuation.hpp>

namespace treadle::detail {

/// The wait for a state, which the waiting side keeps alive; lives on its stack. `State` is future_state, or whatever
/// can be attached to.
template <class State, class Waiter>
class wait_for_state final : public continuation {
 public:
  template <class... Args>
  explicit wait_for_state(State& state, Args&... args) : m_state(state), m_waiter(args...) {}

  void block() {
    m_waiter.block([](void* self) { return static_cast<wait_for_state*>(self)->publish(); }, this);
  }
  void fire() noexcept override { m_waiter.notify(); }
  bool only_wakes() const noexcept override { return true; }

 private:
  bool publish() noexcept { return m_state.try_attach(*this); }

  State& m_state;
  Waiter m_waiter;
};

} // namespace treadle::detail
