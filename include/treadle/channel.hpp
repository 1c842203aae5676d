#pragma once

#include <treadle/detail/spinlock.hpp>
#include <treadle/promise.hpp>

#include <deque>
#include <memory>
#include <optional>

namespace treadle {

/// What get() yields from a channel that is closed and empty, and what set() throws on a closed one.
class channel_closed : public std::exception {
 public:
  const char* what() const noexcept override { return "the channel is closed"; }
};

/// Values from any number of senders to any number of receivers, first in, first out; as hpx::lcos::local::channel.
/// Copies share one channel. With a capacity, set() blocks while that many values wait, otherwise it never blocks.
template <class T>
class channel {
 public:
  /// `capacity` 0: unlimited.
  explicit channel(std::size_t capacity = 0) : m_state(std::make_shared<state>(capacity)) {}

  /// Hands the value to the longest waiting get(), else stores it. Throws channel_closed.
  void set(T value) {
    std::optional<promise<T>> receiver;
    for (;;) {
      std::optional<future<void>> room;
      {
        detail::scoped_lock guard(m_state->lock);
        if (m_state->closed) throw channel_closed();
        if (!m_state->receivers.empty()) {
          receiver = std::move(m_state->receivers.front());
          m_state->receivers.pop_front();
        } else if (m_state->capacity == 0 || m_state->values.size() < m_state->capacity) {
          m_state->values.push_back(std::move(value));
          return;
        } else {
          m_state->senders.emplace_back();
          room = m_state->senders.back().get_future();
        }
      }
      if (receiver) return receiver->set_value(std::move(value)); // outside the lock: it may run continuations
      room->wait();
    }
  }

  /// The next value; ready at once when one waits. Holds channel_closed when the channel is closed and empty.
  future<T> get() {
    std::optional<promise<void>> sender;
    future<T> result;
    {
      detail::scoped_lock guard(m_state->lock);
      if (!m_state->values.empty()) {
        result = make_ready_future(std::move(m_state->values.front()));
        m_state->values.pop_front();
      } else if (m_state->closed) {
        result = make_exceptional_future<T>(channel_closed());
      } else {
        m_state->receivers.emplace_back();
        result = m_state->receivers.back().get_future();
      }
      if (!m_state->senders.empty()) { // there is room for one more, or a receiver that waits
        sender = std::move(m_state->senders.front());
        m_state->senders.pop_front();
      }
    }
    if (sender) sender->set_value();
    return result;
  }
  /// Blocks for the value itself.
  T get(launch) { return get().get(); }

  /// No more values: waiting and later receivers get channel_closed once the stored values are gone, blocked and later
  /// senders throw it. Returns how many receivers were waiting.
  std::size_t close() {
    std::deque<promise<T>> receivers;
    std::deque<promise<void>> senders;
    {
      detail::scoped_lock guard(m_state->lock);
      m_state->closed = true;
      receivers.swap(m_state->receivers);
      senders.swap(m_state->senders);
    }
    for (auto& r : receivers) r.set_exception(channel_closed());
    for (auto& s : senders) s.set_value();
    return receivers.size();
  }

  /// Input range over the values until the channel is closed; each step blocks.
  class iterator {
   public:
    iterator() = default;
    explicit iterator(channel& source) : m_source(&source) { ++*this; }
    T& operator*() { return *m_value; }
    iterator& operator++() {
      auto next = m_source->get();
      next.wait();
      if (next.has_exception())
        m_source = nullptr, m_value.reset();
      else
        m_value.emplace(next.get());
      return *this;
    }
    bool operator==(const iterator& other) const { return m_source == other.m_source; }

   private:
    channel* m_source = nullptr;
    std::optional<T> m_value;
  };
  iterator begin() { return iterator(*this); }
  iterator end() { return iterator(); }

 private:
  struct state {
    explicit state(std::size_t c) : capacity(c) {}
    detail::spinlock lock;
    const std::size_t capacity;
    bool closed = false;
    std::deque<T> values;
    std::deque<promise<T>> receivers;
    std::deque<promise<void>> senders;
  };
  std::shared_ptr<state> m_state;
};

} // namespace treadle
