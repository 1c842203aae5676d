#pragma once

#include <treadle/detail/stop_signal.hpp>

#include <type_traits>

namespace treadle {

/// When and where a task runs. The names of the standard and of HPX.
enum class launch : unsigned char {
  /// A task of its own, run concurrently. It is left with the creating worker: another worker that has nothing to do
  /// takes it, or a get() that comes first runs it in place as a plain call.
  async,
  /// Runs inside the call; the future is ready on return. For continuations: runs on the thread that made the last
  /// input ready.
  sync,
  /// Runs on the thread that first waits for the result (as a task when its stack is used up); never, when nobody does.
  deferred,
  /// Runs now on this worker, and the *creator* becomes the work that other workers may take (continuation stealing).
  fork,
  /// The runtime decides between async and sync for this place in the code from what it measured there. The task may
  /// run before the call returns: use `async` for a task that waits for something its creator does later.
  adaptive
};

class executable;
/// True for the executors of <treadle/executors.hpp> that queue tasks themselves.
template <class T>
inline constexpr bool is_executor = false;
/// A program's own: it runs what execute() is given, once, at some time, on some thread.
template <class T>
concept own_executor = requires(const T& e, executable&& one) { e.execute(static_cast<executable&&>(one)); };
template <class T>
concept any_executor = is_executor<T> || own_executor<T>;

namespace detail {
/// Tasks of it run where the program says, or as many as it says: parts of them must not run elsewhere.
template <class T>
constexpr bool is_own_executor() noexcept {
  if constexpr (own_executor<T>)
    return true;
  else if constexpr (requires(const T& e) { e.inner; }) // with a name
    return is_own_executor<decltype(T::inner)>();
  else
    return false;
}

/// A policy or an executor: before what is called, and behind a stop token.
template <class T>
concept before_function = std::is_same_v<std::decay_t<T>, launch> || any_executor<std::decay_t<T>>;
/// What is called.
template <class F>
concept task_function = !before_function<F> && !stop_token_like<std::decay_t<F>>;
} // namespace detail

} // namespace treadle
