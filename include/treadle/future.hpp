#pragma once

#include <treadle/detail/deadline.hpp>
#include <treadle/detail/future_state.hpp>
#include <treadle/detail/intrusive_ptr.hpp>
#include <treadle/detail/stoppable.hpp>
#include <treadle/future_error.hpp>

namespace treadle {

template <class T>
class future;
template <class T>
class shared_future;

namespace detail {

template <class T>
struct unwrapped_future {
  using type = T;
};
template <class T>
struct unwrapped_future<future<T>> {
  using type = T;
};
/// A continuation that returns future<U> yields future<U>, not future<future<U>>.
template <class T>
using unwrapped_future_t = typename unwrapped_future<T>::type;

template <class Future>
inline constexpr bool is_future = false;
template <class T>
inline constexpr bool is_future<future<T>> = true;
template <class T>
inline constexpr bool is_future<shared_future<T>> = true;

struct access; // lets the library build futures from states and back

/// What future and shared_future have in common: everything but taking the value out.
template <class T>
class future_base {
 public:
  future_base() noexcept = default;

  bool valid() const noexcept { return static_cast<bool>(m_state); }
  bool is_ready() const noexcept { return m_state && m_state->is_ready(); }
  bool has_value() const noexcept { return is_ready() && !m_state->exception(); }
  bool has_exception() const noexcept { return is_ready() && m_state->exception(); }

  /// Blocks until ready: a task suspends (or runs the awaited task itself when nobody has started it), a foreign thread
  /// sleeps. Throws future_error(no_state) when !valid().
  void wait() const { state().wait(); }

  /// The same until a stop is requested (treadle/stop.hpp); true when ready. A task that is run here is not stopped.
  template <stop_token_like Token>
  bool wait(const Token& token) const {
    token_signal<Token> stop(token);
    return state().wait_or_stop(stop);
  }

  /// `timeout` is any std::chrono::duration. A deferred task is reported, not run.
  template <class Duration>
  future_status wait_for(const Duration& timeout) const {
    return wait_within(detail::deadline_after(timeout), nullptr);
  }
  /// `deadline` is a time point of any clock.
  template <class TimePoint>
  future_status wait_until(const TimePoint& deadline) const {
    return wait_for(deadline - TimePoint::clock::now());
  }
  /// Both until a stop is requested, too (treadle/stop.hpp): that is a timeout as well.
  template <class Duration, stop_token_like Token>
  future_status wait_for(const Duration& timeout, const Token& token) const {
    token_signal<Token> stop(token);
    return wait_within(detail::deadline_after(timeout), &stop);
  }
  template <class TimePoint, stop_token_like Token>
  future_status wait_until(const TimePoint& deadline, const Token& token) const {
    return wait_for(deadline - TimePoint::clock::now(), token);
  }

 private:
  future_status wait_within(std::int64_t deadline_ns, stop_signal* stop) const {
    if (state().is_deferred()) return future_status::deferred;
    return state().wait_until(deadline_ns, stop) ? future_status::ready : future_status::timeout;
  }

 protected:
  friend struct access;
  explicit future_base(intrusive_ptr<value_state<T>> state) noexcept : m_state(std::move(state)) {}

  value_state<T>& state() const {
    if (TREADLE_UNLIKELY(!m_state)) throw_future_error(future_errc::no_state);
    return *m_state;
  }

  intrusive_ptr<value_state<T>> m_state;
};

struct access {
  template <class Future, class T>
  static Future make(intrusive_ptr<value_state<T>> state) noexcept {
    return Future(std::move(state));
  }
  template <class Future>
  static auto& state(const Future& f) {
    return f.state();
  }
  template <class Future>
  static auto take(Future& f) noexcept {
    return std::move(f.m_state);
  }
};

} // namespace detail

/// The result of a task, to be taken once. Semantics of std::future with is_ready, then and share of HPX.
///
/// Destroying it abandons the result but never blocks and never cancels: a task that runs keeps running. Thread-safe in
/// the sense of the standard: distinct objects from distinct threads. 8 bytes; T may be void or a reference.
template <class T>
class [[nodiscard]] future : public detail::future_base<T> {
 public:
  using value_type = T;

  future() noexcept = default;
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;
  future(const future&) = delete;
  /// Unwraps: ready when the inner future is, with its value or the first exception of the two.
  future(future<future<T>>&& nested);

  /// Waits, then moves the value out (or rethrows what the task threw). Afterwards valid() is false.
  T get() {
    this->state().wait_unshared();
    const auto state = std::move(this->m_state);
    state->rethrow_exception();
    if constexpr (std::is_reference_v<T>) {
      return *state->value();
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(state->value());
    }
  }

  /// The same until a stop is requested (treadle/stop.hpp): then throws treadle::stopped, and nothing has changed.
  template <detail::stop_token_like Token>
  T get(const Token& token) {
    if (!this->wait(token)) throw stopped();
    return get();
  }

  shared_future<T> share() noexcept;

  /// Calls f(future<T>) when this is ready and gives a future of its result; `*this` becomes invalid. The default
  /// policy queues the call as a task of its own; launch::sync runs it on the thread that made this ready.
  template <class F>
  auto then(launch policy, F&& f);
  /// The same as a task of an executor (executors.hpp).
  template <any_executor Executor, class F>
  auto then(const Executor& executor, F&& f);
  template <class F>
  auto then(F&& f) {
    return then(launch::async, std::forward<F>(f));
  }
  /// The same, also then(token, policy or executor, f). When a stop is requested before the call begins, f is not
  /// called, and the result holds treadle::stopped, when this is ready.
  template <detail::stop_token_like Token, class F>
  auto then(const Token& token, F&& f) {
    return then(launch::async, detail::make_stoppable(token, std::forward<F>(f)));
  }
  template <detail::stop_token_like Token, class How, class F>
  auto then(const Token& token, const How& how, F&& f) {
    return then(how, detail::make_stoppable(token, std::forward<F>(f)));
  }

 private:
  friend struct detail::access;
  using detail::future_base<T>::future_base;
};

/// The result of a task, to be read any number of times, by copies from any thread.
template <class T>
class [[nodiscard]] shared_future : public detail::future_base<T> {
 public:
  using value_type = T;

  shared_future() noexcept = default;
  shared_future(future<T>&& f) noexcept : shared_future(detail::access::take(f)) {}

  /// Waits and returns a reference to the value (const T&, T& for a reference, nothing for void).
  decltype(auto) get() const {
    this->state().wait();
    this->state().rethrow_exception();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*this->m_state->value());
    } else if constexpr (!std::is_void_v<T>) {
      return static_cast<const T&>(this->m_state->value());
    }
  }

  template <detail::stop_token_like Token>
  decltype(auto) get(const Token& token) const {
    if (!this->wait(token)) throw stopped();
    return get();
  }

  /// As future::then; f is called with a copy of this shared_future.
  template <class F>
  auto then(launch policy, F&& f) const;
  template <any_executor Executor, class F>
  auto then(const Executor& executor, F&& f) const;
  template <class F>
  auto then(F&& f) const {
    return then(launch::async, std::forward<F>(f));
  }
  template <detail::stop_token_like Token, class F>
  auto then(const Token& token, F&& f) const {
    return then(launch::async, detail::make_stoppable(token, std::forward<F>(f)));
  }
  template <detail::stop_token_like Token, class How, class F>
  auto then(const Token& token, const How& how, F&& f) const {
    return then(how, detail::make_stoppable(token, std::forward<F>(f)));
  }

 private:
  friend struct detail::access;
  using detail::future_base<T>::future_base;
};

template <class T>
shared_future<T> future<T>::share() noexcept {
  return shared_future<T>(std::move(*this));
}

/// A future that is ready with `value`.
template <class T>
future<std::decay_t<T>> make_ready_future(T&& value) {
  auto state = detail::make_open_state<std::decay_t<T>>();
  state->construct(std::forward<T>(value));
  state->complete(detail::sharing::unshared);
  return detail::access::make<future<std::decay_t<T>>>(std::move(state));
}
inline future<void> make_ready_future() {
  auto state = detail::make_open_state<void>();
  state->complete(detail::sharing::unshared);
  return detail::access::make<future<void>>(std::move(state));
}

/// A future that is ready with an exception.
template <class T>
future<T> make_exceptional_future(std::exception_ptr exception) {
  auto state = detail::make_open_state<T>();
  state->complete_with(std::move(exception));
  return detail::access::make<future<T>>(std::move(state));
}
template <class T, class E>
  requires(!std::is_same_v<std::decay_t<E>, std::exception_ptr>)
future<T> make_exceptional_future(E&& exception) {
  return make_exceptional_future<T>(std::make_exception_ptr(std::forward<E>(exception)));
}

} // namespace treadle

#include <treadle/detail/then.hpp>
