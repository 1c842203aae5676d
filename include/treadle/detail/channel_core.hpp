#pragma once

#include <treadle/detail/future_state.hpp>
#include <treadle/detail/wait_queue.hpp>

#include <cstddef>

namespace treadle::detail {

/// A channel without the type of its values: states that hold a value, or states that wait for one, never both; and the
/// senders that wait for room. Under the lock states are only linked: values are moved, memory is had, and
/// continuations run outside.
class channel_core {
 public:
  enum class result {
    handed, ///< the other side's state was given to the caller, with a share
    stored, ///< the caller's state waits for the other side
    closed,
    stopped, ///< before there was room
    wanted   ///< the caller's state is needed and was null
  };

  explicit channel_core(std::size_t capacity) noexcept : m_capacity(capacity) {}
  ~channel_core();
  channel_core(const channel_core&) = delete;
  channel_core& operator=(const channel_core&) = delete;

  /// For a sender: a receiver that waits, or room for the `item`, which is adopted when it is stored. With an item,
  /// blocks while there is neither, or until a stop is requested.
  result put(future_state* item, future_state*& receiver, stop_signal* stop = nullptr);
  /// Whether a receiver would find an item, as it was a moment ago: one that would not needs a state. Any thread.
  bool has_items() const noexcept { return m_has_items.load(order::relaxed); }
  /// For a receiver: an item, or a place to wait for the caller's state, which is shared when it is stored.
  result take(future_state* receiver, future_state*& item) noexcept;
  /// For a receiver whose state was stored, and that waits no longer: gives its share up, and no value comes. False
  /// when one, or the end of the channel, has been or is about to be handed to it.
  bool withdraw(future_state& receiver) noexcept;
  /// Completes the waiting receivers with `why`; returns how many somebody still has a future of.
  std::size_t close(std::exception_ptr why) noexcept;
  /// Of a closed one: that of the first close().
  const std::exception_ptr& why_closed() const noexcept { return m_why; }

 private:
  /// Linked by job::next_job, which states without a task do not use otherwise; the last one by itself, so that each
  /// tells whether it is in a list.
  struct list {
    void push(future_state& s) noexcept;
    future_state* pop() noexcept;

    future_state* head = nullptr;
    future_state* tail = nullptr;
    std::size_t count = 0;
  };
  /// Released at the end, when the lock is not held.
  struct garbage : list {
    ~garbage() {
      if (TREADLE_UNLIKELY(head != nullptr)) release_all();
    }
    void release_all() noexcept;
  };

  /// Moves receivers whose futures were dropped to `dropped`: all of them when there are many, else those in front.
  void drop_receivers(list& dropped) noexcept;

  const std::size_t m_capacity;
  spinlock m_lock;
  bool m_closed = false;
  std::exception_ptr m_why; // written once, before m_closed
  atomic<bool> m_has_items{false};
  list m_items;
  list m_receivers;
  std::size_t m_many_receivers = 16;
  wait_queue m_senders;
};

} // namespace treadle::detail
