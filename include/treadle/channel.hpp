#pragma once

#include <treadle/detail/channel_core.hpp>
#include <treadle/future.hpp>

#include <memory>
#include <optional>

namespace treadle {

/// What get() yields from a channel that is closed and empty, and what set() throws on a closed one.
class channel_closed : public std::exception {
 public:
  const char* what() const noexcept override { return "the channel is closed"; }
};

/// Values from any number of senders to any number of receivers, first in, first out; as hpx::lcos::local::channel.
/// Copies share one channel; all members may be called by any thread. With a capacity, set() blocks while that many
/// values wait, otherwise it never blocks. A value is never given to a future that was dropped before.
template <class T>
class channel {
 public:
  /// `capacity` 0: unlimited.
  explicit channel(std::size_t capacity = 0) : m_core(std::make_shared<detail::channel_core>(capacity)) {}

  /// Hands the value to the longest waiting get(), else stores it. Throws channel_closed, and what moving a T throws:
  /// then the value is gone, and a get() that it was meant for throws the same.
  void set(T value) { put(value, nullptr); }
  /// Until a stop is requested (treadle/stop.hpp): false, and the value is gone, when that was before there was room.
  template <detail::stop_token_like Token>
  bool set(T value, const Token& token) {
    detail::token_signal<Token> stop(token);
    return put(value, &stop);
  }

  /// The next value; ready at once when one waits. Holds channel_closed when the channel is closed and empty, and
  /// future_error(broken_promise) when the last copy of the channel goes.
  future<T> get() {
    state_ptr receiver;
    if (!m_core->has_items()) receiver = detail::make_open_state<T>();
    for (;;) {
      detail::future_state* item = nullptr;
      switch (m_core->take(receiver.get(), item)) {
      case detail::channel_core::result::closed:
      case detail::channel_core::result::stopped:
        return make_exceptional_future<T>(m_core->why_closed());
      case detail::channel_core::result::handed:
        return detail::access::make<future<T>>(state_ptr::adopt(static_cast<state*>(item)));
      case detail::channel_core::result::stored:
        return detail::access::make<future<T>>(std::move(receiver));
      case detail::channel_core::result::wanted:
        receiver = detail::make_open_state<T>();
      }
    }
  }
  /// Blocks for the value itself.
  T get(launch) { return get().get(); }
  /// The same until a stop is requested (treadle/stop.hpp): then throws treadle::stopped, and has taken no value.
  template <detail::stop_token_like Token>
  T get(const Token& token) {
    future<T> next = get();
    if (!comes(next, &token)) throw stopped();
    return next.get();
  }

  /// No more values: waiting and later receivers get channel_closed once the stored values are gone, blocked and later
  /// senders throw it. Returns how many receivers were waiting.
  std::size_t close() { return close(std::make_exception_ptr(channel_closed())); }
  /// The same with this exception in place of channel_closed: the values that should still come will not.
  std::size_t close(std::exception_ptr why) { return m_core->close(std::move(why)); }

  /// Input range over the values until the channel is closed; each step blocks.
  template <class Token = void>
  class iterator_until {
   public:
    iterator_until() = default;
    explicit iterator_until(channel& source, const Token* token = nullptr) : m_source(&source), m_token(token) {
      ++*this;
    }
    T& operator*() { return *m_value; }
    iterator_until& operator++() {
      auto next = m_source->get();
      if (!m_source->comes(next, m_token) || next.has_exception())
        m_source = nullptr, m_value.reset();
      else
        m_value.emplace(next.get());
      return *this;
    }
    bool operator==(const iterator_until& other) const { return m_source == other.m_source; }

   private:
    channel* m_source = nullptr;
    const Token* m_token = nullptr;
    std::optional<T> m_value;
  };
  using iterator = iterator_until<>;
  iterator begin() { return iterator(*this); }
  iterator end() { return iterator(); }

  /// The same range, which also ends when a stop is requested: `for (T& value : numbers.until(token))`.
  template <detail::stop_token_like Token>
  class values_until {
   public:
    values_until(channel& source, const Token& token) : m_source(source), m_token(token) {}
    iterator_until<Token> begin() { return iterator_until<Token>(m_source, &m_token); }
    iterator_until<Token> end() { return {}; }

   private:
    channel m_source;
    Token m_token;
  };
  template <detail::stop_token_like Token>
  values_until<Token> until(const Token& token) {
    return {*this, token};
  }

 private:
  /// Waits for a get(). False when a stop was first: then no value comes, and the future has no state any more.
  template <class Token>
  bool comes(future<T>& next, const Token* token) {
    if constexpr (!std::is_void_v<Token>) {
      if (!next.wait(*token) && m_core->withdraw(detail::access::state(next))) {
        detail::access::take(next).detach(); // withdraw() has given up its share
        return false;
      }
    }
    next.wait();
    return true;
  }

  bool put(T& value, detail::stop_signal* stop) {
    state_ptr item;
    for (;;) {
      detail::future_state* receiver = nullptr;
      switch (m_core->put(item.get(), receiver, stop)) {
      case detail::channel_core::result::closed:
        std::rethrow_exception(m_core->why_closed());
      case detail::channel_core::result::stopped:
        return false;
      case detail::channel_core::result::stored:
        item.detach();
        return true;
      case detail::channel_core::result::handed:
        complete(static_cast<state&>(*receiver), item ? std::move(item->value()) : std::move(value));
        return true;
      case detail::channel_core::result::wanted:
        item = detail::make_open_state<T>();
        item->construct(std::move(value));
        item->complete(detail::sharing::unshared);
      }
    }
  }

  using state = detail::value_state<T>;
  using state_ptr = detail::intrusive_ptr<state>;

  /// Outside the lock of the channel: it may run continuations.
  void complete(state& receiver, T&& value) {
    const auto share = state_ptr::adopt(&receiver);
    try {
      receiver.construct(std::move(value));
    } catch (...) {
      receiver.complete_with(std::current_exception());
      throw;
    }
    receiver.complete();
  }

  std::shared_ptr<detail::channel_core> m_core;
};

} // namespace treadle
