#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Tells one that blocks that it may go on, perhaps before it has left its stack: it never leaves it then, or comes
/// back at once. docs/design/fibers.md; explored in tests/model/notification_model.cpp.
class notification {
 public:
  /// By the one that blocks, when its stack was left: false when it was notified before, and nobody else resumes it.
  bool leave() noexcept {
    std::uint32_t expected = k_running;
    // release: who resumes it sees the stack as it was left; acquire: it sees what was done for it.
    return m_word.compare_exchange(expected, k_out, order::release, order::acquire);
  }
  /// The same before anybody can notify it: who makes it reachable afterwards releases.
  void leave_unreachable() noexcept { m_word.store(k_out, order::relaxed); }
  /// By the one that blocks, on the stack that it goes on with: see waiter::block(). resume() puts it where it will be
  /// resumed.
  template <class Resume>
  void begin_to_wait(bool (*publish)(void*), void* argument, Resume resume) noexcept {
    if (!publish) {
      if (!leave()) resume();
      return;
    }
    leave_unreachable();
    if (!publish(argument)) resume();
  }
  /// Once. True when the caller has to resume the one that has left; otherwise that one may be gone already, and the
  /// notification with it.
  bool notify() noexcept {
    // Once it is out, nobody else writes the word; most have left long before. Pairs with leave() and has_arrived().
    if (m_word.load(order::acquire) != k_out) return m_word.exchange(k_notified, order::acq_rel) == k_out;
    m_word.store(k_notified, order::relaxed); // who resumes it releases
    return true;
  }
  bool has_arrived() const noexcept { return m_word.load(order::acquire) == k_notified; } // pairs with notify()

  /// For a thread that sleeps until it has arrived, as long as the word is k_running.
  atomic<std::uint32_t>& word() noexcept { return m_word; }
  static constexpr std::uint32_t k_running = 0, k_out = 1, k_notified = 2;

 private:
  atomic<std::uint32_t> m_word{k_running};
};

} // namespace treadle::detail
