#include <treadle/detail/channel_core.hpp>

#include "task/wait/lock_to_wait.hpp"

#include <treadle/future_error.hpp>

#include <algorithm>
#include <utility>

namespace treadle::detail {

void channel_core::list::push(future_state& s) noexcept {
  s.next_job = &s;
  if (head)
    tail->next_job = &s;
  else
    head = &s;
  tail = &s;
  ++count;
}

future_state* channel_core::list::pop() noexcept {
  future_state* const first = head;
  if (!first) return nullptr;
  head = first == tail ? nullptr : static_cast<future_state*>(first->next_job);
  first->next_job = nullptr;
  --count;
  return first;
}

void channel_core::garbage::release_all() noexcept {
  while (future_state* s = pop()) s->release();
}

channel_core::~channel_core() {
  const garbage unread{m_items};
  while (future_state* receiver = m_receivers.pop()) {
    receiver->complete_with(make_broken_promise());
    receiver->release();
  }
}

inline void channel_core::drop_receivers(list& dropped) noexcept {
  if (TREADLE_LIKELY(!m_receivers.head)) return;
  while (m_receivers.head && m_receivers.head->is_unshared()) dropped.push(*m_receivers.pop());
  if (m_receivers.count < m_many_receivers) return;
  list live;
  while (future_state* receiver = m_receivers.pop()) (receiver->is_unshared() ? dropped : live).push(*receiver);
  m_receivers = live;
  m_many_receivers = std::max<std::size_t>(16, 2 * live.count); // so that looking at all is a constant for each
}

channel_core::result channel_core::put(future_state* item, future_state*& receiver, stop_signal* stop) {
  for (;;) {
    garbage dropped;
    const auto is_full = [&] {
      drop_receivers(dropped);
      return item && m_capacity != 0 && m_items.count >= m_capacity && !m_receivers.head && !m_closed;
    };
    if (lock_to_wait(m_lock, is_full)) {
      // It has an item: nothing can fail between its wake-up and its use of the room.
      if (!m_senders.wait(m_lock, stop)) return result::stopped;
      continue;
    }
    result done = result::closed;
    if (!m_closed) {
      receiver = m_receivers.pop();
      done = receiver ? result::handed : item ? result::stored : result::wanted;
      if (done == result::stored) {
        m_items.push(*item);
        m_has_items.store(true, order::relaxed);
      }
    }
    m_lock.unlock();
    return done;
  }
}

channel_core::result channel_core::take(future_state* receiver, future_state*& item) noexcept {
  garbage dropped;
  waiter* sender = nullptr;
  result done = result::handed;
  m_lock.lock();
  item = m_items.pop();
  if (!m_items.head) m_has_items.store(false, order::relaxed);
  if (!item) done = m_closed ? result::closed : receiver ? result::stored : result::wanted;
  if (done == result::stored) {
    drop_receivers(dropped);
    receiver->add_ref();
    m_receivers.push(*receiver);
  }
  // A receiver that waits is as good as room: each needs a sender, or one could wait although nothing is in its way.
  if (done == result::handed || done == result::stored) sender = m_senders.take_one();
  m_lock.unlock();
  if (sender) sender->notify();
  return done;
}

bool channel_core::withdraw(future_state& receiver) noexcept {
  const scoped_lock guard(m_lock);
  if (m_closed || !receiver.next_job) return false; // close() looks at them without the lock
  receiver.release();                               // not the last share; now it is one whose future was dropped
  return true;
}

std::size_t channel_core::close(std::exception_ptr why) noexcept {
  m_lock.lock();
  if (!std::exchange(m_closed, true)) m_why = why;
  list receivers = std::exchange(m_receivers, {});
  waiter* const senders = m_senders.take_all();
  m_lock.unlock();
  std::size_t waiting = 0;
  while (future_state* receiver = receivers.pop()) {
    waiting += !receiver->is_unshared();
    receiver->complete_with(why);
    receiver->release();
  }
  wait_queue::notify_list(senders);
  return waiting;
}

} // namespace treadle::detail
