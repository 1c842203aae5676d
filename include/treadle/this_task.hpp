#pragma once

#include <treadle/detail/deadline.hpp>
#include <treadle/detail/dependences.hpp>
#include <treadle/detail/stop_signal.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace treadle::detail {
/// Runs call(argument) on a pooled stack while the caller is suspended; on a foreign thread, as a task.
void run_on_fresh_stack(void (*call)(void*), void* argument);
/// False when the stop was first.
bool sleep_until_stopped(std::int64_t deadline_ns, stop_signal& stop);
[[gnu::cold]] void tell_memory(const void* data, std::size_t bytes) noexcept;
} // namespace treadle::detail

/// Operations on the calling task. Each works on a foreign thread too, with the meaning it has for a thread.
namespace treadle::this_task {

/// Lets other runnable tasks go first.
void yield();

/// Suspends for at least `ns` nanoseconds; the worker does other work meanwhile.
void sleep_for_ns(std::int64_t ns);

/// `duration` is any std::chrono::duration.
template <class Duration>
void sleep_for(const Duration& duration) {
  const double ns = treadle::detail::duration_ns(duration);
  sleep_for_ns(ns < 9.2e18 ? static_cast<std::int64_t>(ns > 0 ? ns : 0) : INT64_MAX);
}
/// Until a stop is requested (treadle/stop.hpp); false when that was first.
template <class Duration, treadle::detail::stop_token_like Token>
bool sleep_for(const Duration& duration, const Token& token) {
  treadle::detail::token_signal<Token> stop(token);
  return treadle::detail::sleep_until_stopped(treadle::detail::deadline_after(duration), stop);
}
template <class TimePoint>
void sleep_until(const TimePoint& deadline) {
  sleep_for(deadline - TimePoint::clock::now());
}
template <class TimePoint, treadle::detail::stop_token_like Token>
bool sleep_until(const TimePoint& deadline, const Token& token) {
  return sleep_for(deadline - TimePoint::clock::now(), token);
}

/// Index of the worker that runs the caller; -1 on a foreign thread. May change at every suspension. In [0, workers),
/// and up to 64 more where tasks use blocking_region: those of spare workers.
int worker_index() noexcept;

/// Bytes left on the calling stack. A few nanoseconds.
std::size_t stack_remaining() noexcept;

/// Tells recordings (trace::save("run.tasks")) that the calling task reads or writes this many bytes at `data`, which a
/// simulated machine with a bandwidth takes its time for. Several calls add up; where this machine has several NUMA
/// domains, the home of the task's memory is the one of most bytes. One load as long as nobody records; nothing on a
/// foreign thread.
inline void note_memory(const void* data, std::size_t bytes) noexcept {
  if (TREADLE_UNLIKELY(treadle::detail::records_dependences())) treadle::detail::tell_memory(data, bytes);
}

/// Calls f() on a new stack and returns its result: the way on for recursion that has used up the stack it is on. The
/// caller is suspended meanwhile. Rethrows what f throws.
template <class F>
auto on_fresh_stack(F&& f) -> decltype(f()) {
  using result = decltype(f());
  struct frame {
    std::remove_reference_t<F>* function;
    std::exception_ptr exception;
    std::conditional_t<std::is_void_v<result>, bool, std::remove_reference_t<result>>* place;
    alignas(std::conditional_t<std::is_void_v<result>, bool, result>) unsigned char storage[sizeof(
        std::conditional_t<std::is_void_v<result>, bool, result>)];
  } frame{&f, nullptr, nullptr, {}};
  static_assert(!std::is_reference_v<result>);
  treadle::detail::run_on_fresh_stack(
      [](void* argument) {
        auto& self = *static_cast<struct frame*>(argument);
        try {
          if constexpr (std::is_void_v<result>)
            (*self.function)();
          else
            self.place = ::new (static_cast<void*>(self.storage)) result((*self.function)());
        } catch (...) {
          self.exception = std::current_exception();
        }
      },
      &frame);
  if (frame.exception) std::rethrow_exception(frame.exception);
  if constexpr (!std::is_void_v<result>) {
    struct cleanup {
      result* place;
      ~cleanup() { place->~result(); }
    } guard{frame.place};
    return std::move(*frame.place);
  }
}

} // namespace treadle::this_task
