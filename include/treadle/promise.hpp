#pragma once

#include <treadle/future.hpp>

namespace treadle {

namespace detail {

/// Ownership of a state that has to be completed: the one that drops it unsatisfied breaks the promise.
template <class T>
class promise_base {
 public:
  promise_base() : m_state(make_open_state<T>()) {}
  promise_base(promise_base&& other) noexcept = default;
  promise_base& operator=(promise_base&& other) noexcept {
    promise_base(std::move(other)).swap(*this);
    return *this;
  }
  ~promise_base() {
    if (m_state && !m_satisfied) m_state->complete_with(make_broken_promise());
  }
  void swap(promise_base& other) noexcept {
    std::swap(m_state, other.m_state);
    std::swap(m_satisfied, other.m_satisfied);
    std::swap(m_retrieved, other.m_retrieved);
  }

  bool valid() const noexcept { return static_cast<bool>(m_state); }

  /// Once per promise.
  future<T> get_future() {
    if (!m_state) throw_future_error(future_errc::no_state);
    if (std::exchange(m_retrieved, true)) throw_future_error(future_errc::future_already_retrieved);
    return access::make<future<T>>(m_state);
  }
  void set_exception(std::exception_ptr exception) {
    require_open();
    const auto keep = m_state;
    m_satisfied = true;
    keep->complete_with(std::move(exception));
  }
  template <class E>
    requires(!std::is_same_v<std::decay_t<E>, std::exception_ptr>)
  void set_exception(E&& exception) {
    set_exception(std::make_exception_ptr(std::forward<E>(exception)));
  }

 protected:
  void require_open() const {
    if (!m_state) throw_future_error(future_errc::no_state);
    if (m_satisfied) throw_future_error(future_errc::promise_already_satisfied);
  }
  /// Constructs the value first, so that a throwing copy leaves the promise open.
  template <class... Args>
  void set(Args&&... args) {
    require_open();
    const auto keep = m_state; // the one that waits may destroy the promise before complete() returns
    keep->construct(std::forward<Args>(args)...);
    m_satisfied = true;
    keep->complete();
  }

 private:
  intrusive_ptr<value_state<T>> m_state;
  bool m_satisfied = false;
  bool m_retrieved = false;
};

} // namespace detail

/// The writing end of a future, as std::promise. set_value and set_exception may run waiting launch::sync continuations
/// on the calling thread. Destroying it unsatisfied stores future_error(broken_promise). Not for concurrent use by
/// several threads.
template <class T>
class promise : public detail::promise_base<T> {
 public:
  void set_value(const T& value) { this->set(value); }
  void set_value(T&& value) { this->set(std::move(value)); }
};

template <class T>
class promise<T&> : public detail::promise_base<T&> {
 public:
  void set_value(T& value) { this->set(&value); }
};

template <>
class promise<void> : public detail::promise_base<void> {
 public:
  void set_value() { this->set(); }
};

/// A callable whose result goes to a future, as std::packaged_task. Calling it runs the callable in place.
template <class Signature>
class packaged_task;

template <class R, class... Args>
class packaged_task<R(Args...)> {
 public:
  packaged_task() = default;
  template <class F>
    requires(!std::is_same_v<std::decay_t<F>, packaged_task>)
  explicit packaged_task(F&& f)
      : m_function(new holder<std::decay_t<F>>(std::forward<F>(f))), m_promise(promise<R>()) {}
  packaged_task(packaged_task&& other) noexcept
      : m_function(std::exchange(other.m_function, nullptr)),
        m_promise(std::move(other.m_promise)),
        m_called(other.m_called) {}
  packaged_task& operator=(packaged_task&& other) noexcept {
    packaged_task(std::move(other)).swap(*this);
    return *this;
  }
  void swap(packaged_task& other) noexcept {
    std::swap(m_function, other.m_function);
    std::swap(m_promise, other.m_promise);
    std::swap(m_called, other.m_called);
  }
  ~packaged_task() { delete m_function; }

  bool valid() const noexcept { return m_function != nullptr; }
  future<R> get_future() { return target().get_future(); }

  /// Once, unless reset() is called in between. Exceptions go to the future.
  void operator()(Args... args) {
    promise<R>& result = target();
    if (m_called) detail::throw_future_error(future_errc::promise_already_satisfied);
    m_called = true;
    try {
      if constexpr (std::is_void_v<R>) {
        m_function->call(std::forward<Args>(args)...);
        result.set_value();
      } else {
        result.set_value(m_function->call(std::forward<Args>(args)...));
      }
    } catch (...) {
      result.set_exception(std::current_exception());
    }
  }
  /// Same callable, new state; an outstanding future gets broken_promise.
  void reset() {
    target() = promise<R>();
    m_called = false;
  }

 private:
  struct function {
    virtual ~function() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct holder final : function {
    template <class G>
    explicit holder(G&& g) : f(std::forward<G>(g)) {}
    R call(Args... args) override {
      if constexpr (std::is_void_v<R>)
        detail::invoke(f, std::forward<Args>(args)...); // a result of f is dropped, as by the standard
      else
        return detail::invoke(f, std::forward<Args>(args)...);
    }
    F f;
  };

  promise<R>& target() {
    if (!m_function) detail::throw_future_error(future_errc::no_state);
    return m_promise;
  }

  function* m_function = nullptr;
  promise<R> m_promise;
  bool m_called = false;
};

} // namespace treadle
