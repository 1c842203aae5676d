#pragma once

#include <treadle/detail/deadline.hpp>
#include <treadle/detail/stop_signal.hpp>
#include <treadle/detail/waiter.hpp>

namespace treadle::detail {

/// First-in first-out list of blocked tasks and threads, protected by a spinlock of the object that owns it. All
/// synchronisation types are a few words of state beside one of these.
class wait_queue {
 public:
  bool empty() const noexcept { return m_head == nullptr; }

  /// Holding `lock`, and after ready_to_block() or prepare_to_block(): blocks until notified. The lock is released
  /// before the caller blocks and NOT held on return. Cannot fail; the owner of the queue may be gone when it returns.
  /// With a stop_signal or a deadline of the steady clock the owner must stay, and false says that this ended the wait.
  bool wait(spinlock& lock, stop_signal* stop = nullptr, std::int64_t deadline_ns = k_no_deadline) noexcept;

  /// Holding the lock: takes the oldest waiter out, null when there is none. The caller then calls its notify(), best
  /// after releasing the lock.
  waiter* take_one() noexcept;
  /// All of them, linked by `next`.
  waiter* take_all() noexcept;
  static void notify_list(waiter* list) noexcept;

 private:
  struct limited;
  bool wait_within_limits(spinlock& lock, stop_signal* stop, std::int64_t deadline_ns) noexcept;
  void append(waiter& w) noexcept;
  void remove(waiter& w) noexcept;

  waiter* m_head = nullptr;
  waiter* m_tail = nullptr;
};

} // namespace treadle::detail
