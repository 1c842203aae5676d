#pragma once

#include "task/priority/task_paths.hpp"

namespace treadle::detail {

TREADLE_NOINLINE void tell_wanted(event_kind kind, const job& task) noexcept;

/// Tells an event of a task, if anybody wants to know.
inline void tell(event_kind kind, const job& task) noexcept {
  if (is_wanted(kind)) tell_wanted(kind, task);
}
/// That the caller waits for what it has made.
inline void tell_wait() noexcept {
  if (TREADLE_UNLIKELY(paths_are_learned.load(order::relaxed))) learn_wait();
}

} // namespace treadle::detail
