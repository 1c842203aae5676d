#pragma once

#include "fiber/stack.hpp"

#include <treadle/detail/atomic.hpp>

#include <boost/context/detail/fcontext.hpp>

#include <utility>

#if defined(TREADLE_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(TREADLE_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace treadle::detail {

/// What C++ keeps per thread about exceptions being handled; saved and restored when a thread changes fibers, so that a
/// task can suspend inside a catch block and go on, or rethrow, on another thread. The layout is the one that the
/// Itanium C++ ABI (section 2.2.2) fixes for __cxa_eh_globals.
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// That of the calling thread, at the same place for all its life. Code that may change fibers must not ask for it:
/// the C++ runtime declares its accessor const, so a compiler may reuse the address on another thread.
exception_state& thread_exceptions() noexcept;

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
  /// switches back, possibly on another OS thread; the result is the fiber that did, now suspended. `exceptions` are
  /// this thread's.
  fiber& switch_to(fiber& next, exception_state& exceptions) noexcept;

  const stack& memory() const noexcept { return m_stack; }

 private:
  static void start(void* previous_context, fiber* from, fiber* self);
  void finish_switch(void* context) noexcept { m_context = context; }

  void* m_context = nullptr;
  fiber* m_target = nullptr; // during a switch: where to
  stack m_stack;
  exception_state m_exceptions;
  entry_function m_entry = nullptr;
  bool m_owns_stack = false;
  [[maybe_unused]] void* m_asan_fake_stack = nullptr;
  [[maybe_unused]] void* m_tsan_fiber = nullptr;
};

// Inlined, as every level that is returned through after a switch costs a misprediction: the processor has seen the
// calls of the other stack last.
inline fiber& fiber::switch_to(fiber& next, exception_state& exceptions) noexcept {
  m_target = &next;
  m_exceptions = std::exchange(exceptions, next.m_exceptions);
#if defined(TREADLE_ASAN)
  __sanitizer_start_switch_fiber(
      &m_asan_fake_stack, next.m_stack.limit(),
      static_cast<std::size_t>(static_cast<char*>(next.m_stack.top()) - static_cast<char*>(next.m_stack.limit())));
#endif
#if defined(TREADLE_TSAN)
  __tsan_switch_to_fiber(next.m_tsan_fiber, 0);
#endif
  const auto arrival = boost::context::detail::jump_fcontext(next.m_context, this);
  auto* previous = static_cast<fiber*>(arrival.data);
  previous->finish_switch(arrival.fctx);
#if defined(TREADLE_ASAN)
  __sanitizer_finish_switch_fiber(m_asan_fake_stack, nullptr, nullptr);
#endif
  return *previous;
}

} // namespace treadle::detail
