#pragma once

#include <treadle/detail/continuation.hpp>
#include <treadle/detail/reference_count.hpp>

namespace treadle::detail {

/// What a wait with a time limit shares with the state that it waits for and with the timer. On the heap, with one
/// share for the waiting side and one for the state's list: a completing thread that has taken the list may fire it
/// late. docs/design/task.md
///
/// `State` is future_state, or whatever can be attached to: tests/model/timed_wait_model.cpp. The waiting side keeps it
/// alive; this does not, or a state could have an owner left when nobody waits for it any more.
template <class State>
class timed_wait : public continuation {
 public:
  void fire() noexcept final {
    end();
    release(); // the list's share
  }
  /// The time has passed, or the state is ready: the first of the two wakes the waiting side.
  void end() noexcept {
    if (decide()) wake();
  }

 protected:
  explicit timed_wait(State& state) noexcept : m_state(state) {}
  virtual ~timed_wait() = default;

  virtual void wake() noexcept = 0;

  /// True for one caller: the one that ends the wait. It passes nothing on; the state does.
  bool decide() noexcept { return m_decided.exchange(1, order::relaxed) == 0; }

  /// By the waiting side, before it blocks; a timer may have ended the wait already. False when the state is ready.
  bool attach() noexcept {
    m_owners.add();
    const bool waits = m_state.try_attach(*this);
    if (!waits) release(); // the list's share
    return waits;
  }

  /// By the waiting side, once awake, with its last look at this object. True when the state is ready.
  bool leave() noexcept {
    const bool ready = m_state.is_ready();
    if (!ready && m_state.withdraw(*this)) release(); // the list's share
    release();
    return ready;
  }

 private:
  void release() noexcept {
    if (m_owners.drop()) delete this;
  }

  State& m_state;
  reference_count m_owners;
  atomic<std::uint32_t> m_decided{0};
};

} // namespace treadle::detail
