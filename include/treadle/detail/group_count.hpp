#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// How many tasks of a group are unfinished, in two parts: those started and finished by the stack that owns the group,
/// counted without atomic operations, and all others. Either part may be negative as long as the owner does not wait;
/// when it begins to, it adds its part to the other, and the one that brings the sum to zero wakes it.
class group_count {
 public:
  /// By the stack that owns the group.
  void started_here() noexcept { m_here = m_here + 1; }
  void finished_here() noexcept { m_here = m_here - 1; }

  /// By any other stack, in a task of the group: the sum is at least one then.
  void started_elsewhere() noexcept { m_elsewhere.fetch_add(k_task, order::relaxed); }
  /// True: this was the last one and the owner waits, which the caller has to end. release: the owner sees what the
  /// task did; acquire: the caller sees the waiting owner.
  bool finished_elsewhere() noexcept { return m_elsewhere.fetch_sub(k_task, order::acq_rel) == k_task + k_waiting; }

  /// By the owner. acquire pairs with finished_elsewhere(), of all tasks: its operations continue one release sequence.
  bool all_finished() const noexcept { return m_elsewhere.load(order::acquire) + k_task * m_here == 0; }

  /// By the owner: announces that it waits. False when everything is finished.
  bool begin_wait() noexcept {
    const std::int64_t here = k_task * m_here;
    m_here = 0;
    return m_elsewhere.fetch_add(here + k_waiting, order::acq_rel) + here != 0;
  }
  /// By anybody, while the owner waits: it does not any more, and has to be woken. False when everything is finished:
  /// then the thread of the last task wakes it. Relaxed: what the tasks release stays in the release sequence.
  bool withdraw_wait() noexcept {
    std::int64_t now = m_elsewhere.load(order::relaxed);
    while (now != k_waiting) {
      if (m_elsewhere.compare_exchange(now, now - k_waiting, order::relaxed, order::relaxed)) return true;
    }
    return false;
  }
  /// After the wake-up by a task, or a begin_wait() that returned false.
  void end_wait() noexcept { m_elsewhere.store(0, order::relaxed); }

 private:
  static constexpr std::int64_t k_waiting = 1, k_task = 2;

  plain<std::int64_t> m_here = 0;
  atomic<std::int64_t> m_elsewhere{0};
};

} // namespace treadle::detail
