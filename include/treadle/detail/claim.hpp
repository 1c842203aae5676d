#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// The right to execute a task: won once, by a worker that finds the queue entry, a get() that needs the result, or a
/// consumer that starts a deferred task. docs/design/task.md
class claim_word {
 public:
  /// Pinned: available, but a get() may claim it only with its queue entry in hand, because it belongs to a pool.
  static constexpr std::uint8_t k_nobody = 0, k_available = 1, k_pinned = 2, k_deferred = 3, k_claimed = 4;

  /// By the creator, as available, pinned or deferred.
  void offer(std::uint8_t as) noexcept {
    m_state.store(as, order::release); // pairs with claim() by a thread that waits
  }

  /// True for exactly one caller.
  bool claim() noexcept {
    std::uint8_t expected = m_state.load(order::relaxed);
    if (expected == k_nobody || expected == k_claimed) return false;
    // acquire: pairs with offer(); the arguments of the task are visible to the winner.
    return m_state.compare_exchange(expected, k_claimed, order::acquire, order::relaxed);
  }

  /// claim() where nobody competes.
  void claim_unshared() noexcept { m_state.store(k_claimed, order::relaxed); }

  /// True for the one of several consumers that is to queue the task: an entry can be in a queue only once.
  bool end_deferral(std::uint8_t as) noexcept {
    std::uint8_t expected = k_deferred;
    // Relaxed: a later claim() still acquires from offer(), through this exchange.
    return m_state.compare_exchange(expected, as, order::relaxed, order::relaxed);
  }

  /// A hint: may be different the next moment, except k_claimed.
  std::uint8_t state() const noexcept { return m_state.load(order::relaxed); }

 private:
  atomic<std::uint8_t> m_state{k_nobody};
};

} // namespace treadle::detail
