#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Set in the child of a fork() that was called inside a task: the task goes on there, but none of what runs tasks
/// exists. It may exec or _exit; everything else of the library is refused.
extern atomic<bool> forked_in_task;

/// In the child, by the thread that forked.
void leave_worker_after_fork() noexcept;
/// Throws std::system_error (operation_not_permitted) there.
void refuse_in_forked_task();
/// There, when the task has returned: reports it and ends the process, which has nothing to go on with.
[[noreturn]] void end_forked_task() noexcept;

} // namespace treadle::detail
