#include <treadle/detail/wait_queue.hpp>

#include "task/wait/limited_wait.hpp"

namespace treadle::detail {

void wait_queue::append(waiter& w) noexcept {
  w.previous = m_tail;
  w.next = nullptr;
  w.queued = true;
  if (m_tail)
    m_tail->next = &w;
  else
    m_head = &w;
  m_tail = &w;
}

void wait_queue::remove(waiter& w) noexcept {
  (w.previous ? w.previous->next : m_head) = w.next;
  (w.next ? w.next->previous : m_tail) = w.previous;
  w.queued = false;
}

struct wait_queue::limited final : limited_wait<waiter> {
  limited(wait_queue& q, spinlock& l) noexcept : queue(q), lock(l) {}
  bool withdraw() noexcept override {
    const scoped_lock guard(lock);
    if (!self.queued) return false;
    queue.remove(self);
    return true;
  }

  wait_queue& queue;
  spinlock& lock;
};

bool wait_queue::wait(spinlock& lock, stop_signal* stop, std::int64_t deadline_ns) noexcept {
  if (TREADLE_UNLIKELY(stop || deadline_ns != k_no_deadline)) return wait_within_limits(lock, stop, deadline_ns);
  waiter self;
  append(self);
  self.block_releasing(lock);
  return true;
}

TREADLE_NOINLINE bool wait_queue::wait_within_limits(spinlock& lock, stop_signal* stop,
                                                     std::int64_t deadline_ns) noexcept {
  limited wait(*this, lock);
  append(wait.self);
  lock.unlock();
  return block_within_limits(wait, deadline_ns, stop);
}

waiter* wait_queue::take_one() noexcept {
  waiter* w = m_head;
  if (w) remove(*w);
  return w;
}

waiter* wait_queue::take_all() noexcept {
  waiter* list = m_head;
  for (waiter* w = list; w; w = w->next) w->queued = false;
  m_head = m_tail = nullptr;
  return list;
}

void wait_queue::notify_list(waiter* list) noexcept {
  while (list) {
    waiter* next = list->next;
    list->notify();
    list = next;
  }
}

} // namespace treadle::detail
