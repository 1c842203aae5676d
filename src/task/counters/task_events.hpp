#pragma once

#include "observe/emit.hpp"

#include <treadle/detail/job.hpp>

namespace treadle::detail {

/// Tells an event of a task, if anybody wants to know.
inline void tell(event_kind kind, const job& task) noexcept {
  if (!is_wanted(kind)) return;
  const bool named = kind == event_kind::task_created || kind == event_kind::task_started;
  const task_name name = named ? task.name() : task_name{};
  emit({.kind = kind, .task = number_of(&task), .name = {name.text, name.bytes}});
}

} // namespace treadle::detail
