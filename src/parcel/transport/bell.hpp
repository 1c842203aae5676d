// How a locality that sleeps learns that something was sent to it. In memory that the processes share.
//
//   sender                                 receiver
//   publish the message (seq_cst)          asleep = 1 (seq_cst)
//   asleep == 1 ? (seq_cst)                nothing published ? (seq_cst)
//     asleep = 0, ++calls, wake              sleep while `calls` is what it was before
//
// One of both sees the other. While somebody of the receiver looks for messages anyway, `asleep` is 0, and senders do
// nothing but one load.
#pragma once

#include "base/sync/park.hpp"

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::detail {

class bell {
 public:
  /// By a sender, after what it has published.
  void ring() noexcept {
    if (m_asleep.load(order::seq_cst) == 0) return;
    if (m_asleep.exchange(0, order::relaxed) == 0) return; // somebody else rings
    // Pairs with calls(): who is woken sees what was published. Beyond the model, whose seq_cst loads see the latest.
    m_calls.fetch_add(1, order::release);
    shared_futex_wake(m_calls);
  }

  /// By the receiver: somebody looks from now on, so that nobody needs to ring.
  void disarm() noexcept { m_asleep.store(0, order::relaxed); }
  /// Nobody looks any more. The caller looks once more after it.
  void arm() noexcept { m_asleep.exchange(1, order::seq_cst); }

  /// How often it rang, for sleep().
  std::uint32_t calls() const noexcept { return m_calls.load(order::acquire); }
  /// Until it has rung after calls() was `seen`, or by chance.
  void sleep(std::uint32_t seen, std::int64_t timeout_ns = k_forever_ns) noexcept {
    shared_futex_wait(m_calls, seen, timeout_ns);
  }
  /// By the receiver, for a thread of it that sleeps.
  void call() noexcept {
    m_calls.fetch_add(1, order::release);
    shared_futex_wake(m_calls);
  }

 private:
  alignas(k_cache_line) atomic<std::uint32_t> m_asleep{0};
  atomic<std::uint32_t> m_calls{0};
};

} // namespace treadle::detail
