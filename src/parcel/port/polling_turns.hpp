// Who looks for messages: one thread at a time.
#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::detail {

/// A thread that is about to stop looking, while another one is at it, asks that one to look once more: what came in
/// between may have been announced to the first, and may be behind where the second has looked.
class polling_turns {
 public:
  /// Calls look(), which must not throw, unless somebody else is at it: false then. True when look() was.
  template <class Look>
  bool poll(Look look) noexcept {
    std::uint32_t seen = k_free;
    return m_state.compare_exchange(seen, k_taken, order::acquire, order::relaxed) && take_turn(look);
  }

  /// By who does not look again: all that came before is found, by this call or by the thread that is at it.
  template <class Look>
  bool poll_last(Look look) noexcept {
    for (std::uint32_t seen = m_state.load(order::relaxed);;) {
      if (seen == k_free) {
        if (m_state.compare_exchange(seen, k_taken, order::acquire, order::relaxed)) return take_turn(look);
      } else {
        // Pairs with take_turn(): it sees what we have seen. Beyond the model, whose seq_cst loads see the latest.
        if (m_state.compare_exchange(seen, k_asked, order::release, order::relaxed)) return false;
      }
    }
  }

 private:
  static constexpr std::uint32_t k_free = 0, k_taken = 1, k_asked = 2;

  template <class Look>
  bool take_turn(Look look) noexcept {
    bool any = look();
    for (std::uint32_t seen = k_taken; !m_state.compare_exchange(seen, k_free, order::release, order::relaxed);
         seen = k_taken) {
      m_state.exchange(k_taken, order::acquire); // somebody has asked. Beyond the model, as there.
      any |= look();
    }
    return any;
  }

  atomic<std::uint32_t> m_state{k_free};
};

} // namespace treadle::detail
