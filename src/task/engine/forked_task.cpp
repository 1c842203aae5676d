#include "task/engine/forked_task.hpp"

#include "task/engine/exit_report.hpp"
#include "task/worker/worker.hpp"

#include <cstdlib>
#include <system_error>

namespace treadle::detail {

constinit atomic<bool> forked_in_task{false};

namespace {
constexpr const char* k_advice =
    "fork() was called inside a task, and the workers stayed in the parent: the child can exec or _exit. Fork from a "
    "thread outside to use tasks in the child";
}

void leave_worker_after_fork() noexcept {
  if (!on_worker()) return;
  forked_in_task.store(true, order::relaxed);
  set_this_task_stack(nullptr); // from here on it is as any thread outside
}

void refuse_in_forked_task() {
  if (TREADLE_UNLIKELY(forked_in_task.load(order::relaxed)))
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), k_advice);
}

void end_forked_task() noexcept {
  report_at_exit("treadle: a task has returned in a child process. " + std::string(k_advice) + ".\n");
  std::_Exit(EXIT_FAILURE);
}

} // namespace treadle::detail
