// The only thread-local variables of the task area. They live in a file of their own, behind functions that are never
// inlined: a compiler may keep the address of a thread-local across a call, and after a suspension the fiber may run on
// another thread.

#include "fiber/stack.hpp"
#include "task/engine/worker.hpp"

#include <treadle/this_task.hpp>

constinit thread_local treadle::detail::task_stack* treadle_task_stack = nullptr;

namespace treadle::detail {
namespace {

constinit thread_local const void* t_thread_stack_limit = nullptr; // of the stack that the thread was started with

} // namespace

#if !defined(__x86_64__)
TREADLE_NOINLINE task_stack* this_task_stack() noexcept { return treadle_task_stack; }
#endif
TREADLE_NOINLINE void set_this_task_stack(task_stack* current) noexcept { treadle_task_stack = current; }

bool on_worker() noexcept { return this_task_stack() != nullptr; }

TREADLE_NOINLINE bool stack_has_room() noexcept {
  const task_stack* const current = this_task_stack();
  if (TREADLE_UNLIKELY(!current)) return this_task::stack_remaining() > k_stack_reserve_bytes;
  return static_cast<const char*>(__builtin_frame_address(0)) >
         static_cast<const char*>(current->limit) + k_stack_reserve_bytes;
}

} // namespace treadle::detail

namespace treadle::this_task {

TREADLE_NOINLINE std::size_t stack_remaining() noexcept {
  using namespace treadle::detail;
  const task_stack* const current = this_task_stack();
  if (TREADLE_UNLIKELY(!current && !t_thread_stack_limit)) t_thread_stack_limit = thread_stack().limit();
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  const char* limit = static_cast<const char*>(current ? current->limit : t_thread_stack_limit);
  return here > limit ? static_cast<std::size_t>(here - limit) : 0;
}

} // namespace treadle::this_task
