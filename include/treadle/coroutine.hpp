#pragma once

#include <treadle/detail/job.hpp>
#include <treadle/promise.hpp>

#include <coroutine>

// co_await on futures, and futures as the return type of coroutines. A thin adapter: tasks suspend by fibers, so code
// that is not a coroutine never needs this header.

namespace treadle {

namespace detail {

/// Resumes a coroutine as a task when the awaited state is ready.
template <class Future>
class future_awaiter final : continuation {
 public:
  explicit future_awaiter(Future&& awaited) noexcept : m_future(std::move(awaited)) {}

  bool await_ready() const { return access::state(m_future).is_ready(); }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    m_coroutine = coroutine;
    access::state(m_future).start_deferred();
    return access::state(m_future).try_attach(*this);
  }
  decltype(auto) await_resume() { return m_future.get(); }

  void fire() noexcept override {
    // A task of its own rather than a call: the completing thread goes on, and chains of awaits use no stack.
    launch_resume(m_coroutine);
  }

 private:
  static void launch_resume(std::coroutine_handle<> coroutine) noexcept {
    class resume final : public value_state<void> {
     public:
      explicit resume(std::coroutine_handle<> c) noexcept : m_handle(c) { this->make_claimable(false); }

     private:
      void execute(sharing) noexcept override {
        m_handle.resume();
        this->set_value();
      }
      std::coroutine_handle<> m_handle;
    };
    schedule(*new resume(coroutine));
  }

  Future m_future;
  std::coroutine_handle<> m_coroutine;
};

template <class T>
struct coroutine_promise_base {
  promise<T> result;

  future<T> get_return_object() { return result.get_future(); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void unhandled_exception() { result.set_exception(std::current_exception()); }
};
template <class T>
struct coroutine_promise : coroutine_promise_base<T> {
  template <class U>
  void return_value(U&& value) {
    this->result.set_value(std::forward<U>(value));
  }
};
template <>
struct coroutine_promise<void> : coroutine_promise_base<void> {
  void return_void() { result.set_value(); }
};

} // namespace detail

/// Suspends the coroutine until the future is ready and yields its value. The coroutine goes on as a task, in general
/// on another thread.
template <class T>
auto operator co_await(future<T>&& awaited) noexcept {
  return detail::future_awaiter<future<T>>(std::move(awaited));
}
template <class T>
auto operator co_await(shared_future<T> awaited) noexcept {
  return detail::future_awaiter<shared_future<T>>(std::move(awaited));
}

} // namespace treadle

/// A coroutine that returns treadle::future<T> starts at once on the calling thread.
template <class T, class... Args>
struct std::coroutine_traits<treadle::future<T>, Args...> {
  using promise_type = treadle::detail::coroutine_promise<T>;
};
