#pragma once

#include "fiber/fiber.hpp"

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

/// With less than this left, tasks are queued instead of called.
inline constexpr std::size_t k_stack_reserve_bytes = (k_sanitized ? 128 : 64) * 1024;

/// Whether more than that is left of `on`, on which the caller runs.
inline bool has_room(const task_stack& on) noexcept {
  const char* here;
#if defined(__x86_64__)
  asm("movq %%rsp, %0" : "=r"(here)); // a frame would take a register and four instructions of each caller
#else
  here = static_cast<const char*>(__builtin_frame_address(0));
#endif
  return here > static_cast<const char*>(on.limit) + k_stack_reserve_bytes;
}

/// A stack for tasks, with the latent work on it.
struct task_fiber final : fiber {
  task_fiber(std::size_t stack_bytes, entry_function entry) : fiber(stack_bytes, entry) {
    tasks.limit = memory().limit();
  }
  task_stack tasks;
  bool is_blocked = false;                         ///< it was left by a task
  task_fiber *next = nullptr, *previous = nullptr; ///< of the pool's
};

} // namespace treadle::detail
