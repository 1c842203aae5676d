#include <treadle/detail/wait_queue.hpp>

#include "task/engine/scheduler.hpp"

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

void wait_queue::wait(spinlock& lock) noexcept {
  waiter self;
  append(self);
  lock.unlock();
  self.block();
}

/// A waiter in a queue, in the timers and with a stop_signal at once. The thread that takes it out of the queue decides
/// how the wait ends.
struct wait_queue::timed_wait final : timer {
  timed_wait(wait_queue& q, spinlock& l) noexcept : queue(q), lock(l) {}
  /// True when nobody else has taken it out.
  bool withdraw() noexcept {
    const scoped_lock guard(lock);
    if (!self.queued) return false;
    queue.remove(self);
    return true;
  }
  void expire() noexcept override {
    if (!withdraw()) return;
    given_up = true;
    self.notify();
  }

  waiter self;
  wait_queue& queue;
  spinlock& lock;
  bool given_up = false;
};

bool wait_queue::wait_until(spinlock& lock, std::int64_t deadline_ns, stop_signal* stop) noexcept {
  timed_wait state(*this, lock);
  append(state.self);
  lock.unlock();
  const calling until_stopped(stop, [](void* s) noexcept { static_cast<timed_wait*>(s)->expire(); }, &state);
  if (worker* w = this_worker()) {
    scheduler& here = w->owner();
    if (deadline_ns != k_no_deadline) here.arm(state, deadline_ns);
    state.self.block();
    if (deadline_ns != k_no_deadline) here.timers.cancel(state);
    return !state.given_up;
  }
  if (state.self.block_thread_until(deadline_ns)) return !state.given_up;
  if (state.withdraw()) return false;
  state.self.await_notification(); // somebody took it out just now
  return !state.given_up;
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
