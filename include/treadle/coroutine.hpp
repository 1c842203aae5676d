#pragma once

#include <treadle/detail/job.hpp>
#include <treadle/future.hpp>

#include <coroutine>

// co_await on futures, and futures as the return type of coroutines. A thin adapter: tasks suspend by fibers, so code
// that is not a coroutine never needs this header.

namespace treadle {

namespace detail {

/// The queue entry of a coroutine that can go on. In the frame of the coroutine: nothing is allocated.
class coroutine_resumption : job {
 protected:
  coroutine_resumption() = default;
  ~coroutine_resumption() = default;

  void resume_as_task(std::coroutine_handle<> coroutine) noexcept;
  /// The caller goes on without the coroutine: counts it as suspended, and ends a blocking_region.
  static void leave() noexcept;

 private:
  void run() noexcept final;

  std::coroutine_handle<> m_coroutine;
};

/// Resumes a coroutine as a task when the awaited state is ready.
template <class Future>
class future_awaiter final : continuation, coroutine_resumption {
 public:
  explicit future_awaiter(Future&& awaited) noexcept : m_future(std::move(awaited)) {}

  bool await_ready() const { return access::state(m_future).is_ready(); }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    m_waiting = coroutine;
    access::state(m_future).start_deferred();
    if (!access::state(m_future).try_attach(*this)) return false;
    coroutine_resumption::leave(); // the coroutine may have gone on, and *this be gone
    return true;
  }
  decltype(auto) await_resume() { return m_future.get(); }

  /// A task of its own rather than a call: the completing thread goes on, and chains of awaits use no stack.
  void fire() noexcept override { this->resume_as_task(m_waiting); }

 private:
  Future m_future;
  std::coroutine_handle<> m_waiting;
};

/// The result is published when the frame is gone: the one that sees it finds the locals and arguments of the coroutine
/// destroyed, as after the return of a function.
template <class T>
struct coroutine_promise_base {
  using state = value_state<T>;

  struct completion {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
      const intrusive_ptr<state> completed = std::move(coroutine.promise().result);
      coroutine.destroy(); // and this with it
      completed->complete();
    }
    void await_resume() noexcept {}
  };

  future<T> get_return_object() { return access::make<future<T>>(result); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  completion final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept {
    result->construct_from([]() -> T { throw; });
  }

  intrusive_ptr<state> result = intrusive_ptr<state>::adopt(new state);
};
template <class T>
struct coroutine_promise : coroutine_promise_base<T> {
  template <class U>
  void return_value(U&& value) {
    if constexpr (std::is_reference_v<T>)
      this->result->construct(&value);
    else
      this->result->construct(std::forward<U>(value));
  }
};
template <>
struct coroutine_promise<void> : coroutine_promise_base<void> {
  void return_void() noexcept { result->construct(); }
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
