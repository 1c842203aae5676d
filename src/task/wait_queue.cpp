#include <treadle/detail/wait_queue.hpp>

#include "task/scheduler.hpp"

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

void wait_queue::wait(spinlock& lock) {
  struct blocked {
    waiter self;
    spinlock* lock;
  } state{{}, &lock};
  append(state.self);
  try {
    state.self.block(
        [](void* argument) {
          static_cast<blocked*>(argument)->lock->unlock();
          return true;
        },
        &state);
  } catch (...) { // no stack to go on with
    remove(state.self);
    lock.unlock();
    throw;
  }
}

/// A waiter in a queue and in the timers at once; whoever takes it out of the queue decides.
struct wait_queue::timed_wait final : timer {
  timed_wait(wait_queue& q, spinlock& l) noexcept : queue(q), lock(l) {}
  void expire() noexcept override {
    lock.lock();
    timed_out = self.queued;
    if (timed_out) queue.remove(self);
    lock.unlock();
    if (timed_out) self.notify();
  }

  waiter self;
  wait_queue& queue;
  spinlock& lock;
  bool timed_out = false;
};

bool wait_queue::wait_until(spinlock& lock, std::int64_t deadline_ns) {
  timed_wait state(*this, lock);
  worker* w = this_worker();
  if (!w) {
    append(state.self);
    const auto publish = [](void* argument) {
      static_cast<timed_wait*>(argument)->lock.unlock();
      return true;
    };
    if (state.self.block_thread_until(publish, &state, deadline_ns)) return true;
    lock.lock();
    const bool withdrawn = state.self.queued;
    if (withdrawn) remove(state.self);
    lock.unlock();
    if (!withdrawn) state.self.await_notification(); // somebody took it out just now: that counts
    return !withdrawn;
  }
  scheduler& here = w->owner();
  struct armed {
    timed_wait* wait;
    scheduler* timers;
    std::int64_t deadline_ns;
  } arming{&state, &here, deadline_ns};
  append(state.self);
  try {
    state.self.block(
        [](void* argument) {
          const armed a = *static_cast<armed*>(argument);
          a.timers->arm(*a.wait, a.deadline_ns); // the lock is still held: nobody can resume the task yet
          a.wait->lock.unlock();
          return true;
        },
        &arming);
  } catch (...) {
    remove(state.self);
    lock.unlock();
    throw;
  }
  here.timers.cancel(state, deadline_ns);
  return !state.timed_out;
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
