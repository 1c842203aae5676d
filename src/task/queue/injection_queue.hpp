#pragma once

#include <treadle/detail/job.hpp>
#include <treadle/detail/spinlock.hpp>

#include <utility>

namespace treadle::detail {

/// Queue for work that comes from outside the workers, for tasks that yield, and for pools that keep an order: first in
/// first out, unless something is put first. Any thread. A lock and an intrusive list: it is not on the path of fine
/// tasks.
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
  void push_first(job* item) noexcept { put_first(item, item, 1); }

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

  /// Takes out the entries whose tasks were started elsewhere, linked by next_job. Meanwhile the others are not in the
  /// queue: the caller has to wake somebody for them afterwards.
  job* take_stale() noexcept {
    job* all = nullptr;
    {
      scoped_lock guard(m_lock);
      all = std::exchange(m_head, nullptr);
      m_tail = nullptr;
      m_size.store(0, order::relaxed);
    }
    job *stale = nullptr, *live = nullptr, *live_end = nullptr;
    std::uint64_t count = 0;
    while (job* item = all) {
      all = item->next_job;
      if (item->is_stale()) {
        item->next_job = stale;
        stale = item;
        continue;
      }
      if (live_end)
        live_end->next_job = item;
      else
        live = item;
      live_end = item;
      ++count;
    }
    if (live) put_first(live, live_end, count);
    return stale;
  }

  /// Orders nothing: the lock protects the items, and who must not miss one is ordered by other means.
  bool empty() const noexcept { return size() == 0; }
  std::uint64_t size() const noexcept { return m_size.load(order::relaxed); }

 private:
  void put_first(job* first, job* last, std::uint64_t count) noexcept {
    scoped_lock guard(m_lock);
    last->next_job = m_head;
    m_head = first;
    if (!m_tail) m_tail = last;
    m_size.store(m_size.load(order::relaxed) + count, order::relaxed);
  }

  spinlock m_lock;
  plain<job*> m_head = nullptr;
  plain<job*> m_tail = nullptr;
  atomic<std::uint64_t> m_size{0};
};

} // namespace treadle::detail
