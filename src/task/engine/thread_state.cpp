// The only thread-local variables of the task area. They live in a file of their own, behind functions that are never
// inlined: a compiler may keep the address of a thread-local across a call, and after a suspension the fiber may run on
// another thread.

#include "fiber/stack.hpp"
#include "task/worker/worker.hpp"

#include <treadle/this_task.hpp>

// Read by assembly in other files, too.
[[gnu::used, gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::task_stack* treadle_task_stack =
    nullptr;

namespace treadle::detail {
namespace {

constinit thread_local stack t_thread_stack; // that the thread was started with; empty until somebody asks

const stack& started_with() noexcept {
  if (TREADLE_UNLIKELY(!t_thread_stack.mapping)) t_thread_stack = thread_stack();
  return t_thread_stack;
}

std::size_t bytes_between(const void* upper, const void* lower) noexcept {
  return upper > lower ? static_cast<std::size_t>(static_cast<const char*>(upper) - static_cast<const char*>(lower))
                       : 0;
}

} // namespace

#if !defined(__x86_64__)
TREADLE_NOINLINE task_stack* this_task_stack() noexcept { return treadle_task_stack; }
#endif
TREADLE_NOINLINE void set_this_task_stack(task_stack* current) noexcept { treadle_task_stack = current; }

bool on_worker() noexcept { return this_task_stack() != nullptr; }

TREADLE_NOINLINE bool stack_has_room() noexcept {
  if (const task_stack* const current = this_task_stack(); TREADLE_LIKELY(current)) return has_room(*current);
  const void* const here = __builtin_frame_address(0);
#if defined(TREADLE_TSAN) // which follows 65536 nested calls and no more; a thread's own stack has room for them
  if (bytes_between(started_with().top(), here) > 1024 * 1024) return false;
#endif
  return bytes_between(here, started_with().limit()) > k_stack_reserve_bytes;
}

} // namespace treadle::detail

namespace treadle::this_task {

TREADLE_NOINLINE std::size_t stack_remaining() noexcept {
  using namespace treadle::detail;
  const task_stack* const current = this_task_stack();
  return bytes_between(__builtin_frame_address(0), current ? current->limit : started_with().limit());
}

} // namespace treadle::this_task
