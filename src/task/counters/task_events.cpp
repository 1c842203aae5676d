#include "task/counters/task_events.hpp"

namespace treadle::detail {

void tell_wanted(event_kind kind, const job& task) noexcept {
  if (paths_are_learned.load(order::relaxed)) learn_path(kind, task);
  if (!is_told(kind)) return;
  const bool named = kind == event_kind::task_created || kind == event_kind::task_started;
  const task_name name = named ? task.name() : task_name{};
  emit({.kind = kind, .task = number_of(&task), .name = {name.text, name.bytes}});
}

} // namespace treadle::detail
