#pragma once

#include <treadle/detail/continuation.hpp>
#include <treadle/detail/intrusive_ptr.hpp>
#include <treadle/detail/reference_count.hpp>

namespace treadle::detail {

/// What a wait with a time limit shares with the state that it waits for and with the timer. On the heap, with one
/// share for the waiting side and one for the state: a completing thread that has taken the list of continuations may
/// fire it late. docs/design/task.md
///
/// `State` is future_state, or whatever can be attached to and counts references: tests/model/timed_wait_model.cpp.
template <class State>
class timed_wait : public continuation {
 public:
  void fire() noexcept final {
    end();
    release(); // the state's share
  }
  /// The time has passed, or the state is ready: the first of the two wakes the waiting side.
  void end() noexcept {
    if (decide()) wake();
  }

 protected:
  explicit timed_wait(State& state) noexcept : m_state(intrusive_ptr<State>::share(&state)) { m_owners.add(); }
  virtual ~timed_wait() = default;

  virtual void wake() noexcept = 0;

  /// True for one caller: the one that ends the wait. It passes nothing on; the state does.
  bool decide() noexcept { return m_decided.exchange(1, order::relaxed) == 0; }

  /// Hands the state its share. False when it is ready and the waiting side is to go on without being woken. The
  /// waiting side may do so any time, when a timer has been armed before.
  bool attach() noexcept {
    m_owners.add();
    bool go_on = false;
    if (!m_state->try_attach(*this)) {
      go_on = decide(); // otherwise the timer's wake() is on the way
      release();        // the state's share
    } else if (m_abandoned.load(order::seq_cst) != 0) {
      take_back();
    }
    release();
    return !go_on;
  }

  /// By the waiting side, once awake, with its last look at this object. True when the state is ready.
  bool leave() noexcept {
    const bool ready = m_state->is_ready();
    if (!ready) {
      m_abandoned.store(1, order::seq_cst); // with the load in attach(): one of the two sees the node attached
      take_back();
    }
    release();
    return ready;
  }

 private:
  void take_back() noexcept {
    if (m_state->withdraw(*this)) release(); // the state's share
  }
  void release() noexcept {
    if (m_owners.drop()) delete this;
  }

  intrusive_ptr<State> m_state;
  reference_count m_owners;
  atomic<std::uint32_t> m_decided{0};
  atomic<std::uint32_t> m_abandoned{0}; // the waiting side has gone on without the value
};

} // namespace treadle::detail
