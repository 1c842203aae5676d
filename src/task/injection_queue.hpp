#pragma once

#include <treadle/detail/job.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

/// First-in first-out queue for work that comes from outside the workers, and for tasks that yield. Any thread. A lock
/// and an intrusive list: it is not on the path of fine tasks.
class injection_queue {
 public:
  void push(job* item) noexcept {
    item->next_job = nullptr;
    scoped_lock guard(m_lock);
    if (m_tail)
      m_tail->next_job = item;
    else
      m_head = item;
    m_tail = item;
    m_size.increment_unshared(); // one writer at a time: the lock's owner
  }

  job* pop() noexcept {
    if (empty()) return nullptr;
    scoped_lock guard(m_lock);
    job* item = m_head;
    if (!item) return nullptr;
    m_head = item->next_job;
    if (!m_head) m_tail = nullptr;
    m_size.store(m_size.load(order::relaxed) - 1, order::relaxed);
    return item;
  }

  /// Orders nothing: the lock protects the items, and who must not miss one is ordered by other means.
  bool empty() const noexcept { return size() == 0; }
  std::uint64_t size() const noexcept { return m_size.load(order::relaxed); }

 private:
  spinlock m_lock;
  plain<job*> m_head = nullptr;
  plain<job*> m_tail = nullptr;
  atomic<std::uint64_t> m_size{0};
};

} // namespace treadle::detail
