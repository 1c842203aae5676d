#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// A task on its way out of a signal handler, which cannot allocate: somebody leaves an empty one, the handler fills it
/// and hands it over, and another thread takes it, or the thread that the handler interrupted takes it back. A `Task`
/// has a reference count, of which this owns one; release() drops it.
template <class Task>
class handover {
 public:
  handover() = default;
  ~handover() {
    if (Task* empty = m_empty.load(order::relaxed)) empty->release();
    if (Task* filled = take()) filled->release();
  }
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;

  // Any thread:
  bool lacks_empty() const noexcept { return m_empty.load(order::relaxed) == nullptr; }
  void leave_empty(Task* task) noexcept {
    Task* none = nullptr;
    if (!m_empty.compare_exchange(none, task, order::release, order::relaxed)) task->release();
  }
  bool is_full() const noexcept { return m_filled.load(order::relaxed) != nullptr; }
  /// Null when there is none.
  Task* take() noexcept {
    if (TREADLE_LIKELY(!is_full())) return nullptr;
    return m_filled.exchange(nullptr, order::acquire); // pairs with hand_over()
  }

  // In the handler, while it is not full:
  /// Null when nobody has left one.
  Task* empty() const noexcept { return m_empty.load(order::acquire); } // pairs with leave_empty()
  /// That one, filled.
  void hand_over(Task* task) noexcept {
    m_empty.store(nullptr, order::relaxed);
    m_filled.store(task, order::release);
  }

  // By the thread of the handler:
  /// False when it is not there: it was never handed over, or another thread has taken it.
  bool take_back(Task& task) noexcept {
    Task* filled = &task;
    if (TREADLE_LIKELY(m_filled.load(order::relaxed) != filled)) return false;
    return m_filled.compare_exchange(filled, nullptr, order::relaxed, order::relaxed);
  }

 private:
  atomic<Task*> m_empty{nullptr}, m_filled{nullptr};
};

} // namespace treadle::detail
