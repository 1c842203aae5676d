#pragma once

#include "fiber/stack.hpp"

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// What C++ keeps per thread about exceptions being handled; saved and restored when a thread changes fibers, so that a
/// task can suspend inside a catch block and go on, or rethrow, on another thread.
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// A stack and the point where its execution stopped. Plain mechanism: knows nothing of tasks or workers.
///
/// One fiber runs on one OS thread at a time. switch_to() is the only way to move between them; it costs a few
/// nanoseconds plus the exception state. Fibers are entered once, run `entry` for ever, and are destroyed only while
/// switched out; their frames are then dropped without unwinding.
class fiber {
 public:
  using entry_function = void (*)(fiber& self, fiber& previous);

  /// A fiber on its own new stack. `entry` must never return. Throws std::system_error when no stack can be had.
  fiber(std::size_t stack_bytes, entry_function entry);
  /// The calling OS thread's own stack as a fiber, so that it can be switched away from and back to.
  fiber();
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Suspends `*this` (which must be the running fiber of this thread) and continues `next`. Returns when somebody
  /// switches back, possibly on another OS thread; the result is the fiber that did, now suspended.
  fiber& switch_to(fiber& next) noexcept;

  const stack& memory() const noexcept { return m_stack; }

 private:
  static void start(void* previous_context, fiber* from, fiber* self);
  void finish_switch(void* previous_context) noexcept;

  void* m_context = nullptr;
  fiber* m_target = nullptr; // during a switch: where to
  stack m_stack;
  exception_state m_exceptions;
  entry_function m_entry = nullptr;
  bool m_owns_stack = false;
  [[maybe_unused]] void* m_asan_fake_stack = nullptr;
  [[maybe_unused]] void* m_tsan_fiber = nullptr;
};

} // namespace treadle::detail
