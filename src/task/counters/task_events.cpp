#include "task/counters/task_events.hpp"

#include "base/clock.hpp"
#include "topology/memory_domain.hpp"

#include <treadle/this_task.hpp>

namespace treadle::detail {

void tell_memory(const void* data, std::size_t bytes) noexcept {
  if (!is_told(event_kind::memory_used) || bytes == 0) return;
  const std::int64_t before = ticks_now();
  const int home = memory_domain(data, bytes);
  emit({.kind = event_kind::memory_used, .task = bytes, .value = memory_use{home, ticks_now() - before}.as_value()});
}

void tell_wanted(event_kind kind, const job& task) noexcept {
  if (paths_are_learned.load(order::relaxed)) learn_path(kind, task);
  if (!is_told(kind)) return;
  const bool named = kind == event_kind::task_created || kind == event_kind::task_started;
  const task_name name = named ? task.name() : task_name{};
  emit({.kind = kind, .task = number_of(&task), .name = {name.text, name.bytes}});
}

void tell_join(future_state& joined, std::string_view name, bool is_new) noexcept {
  if (paths_are_learned.load(order::relaxed)) learn_join(joined, is_new ? name.data() : nullptr);
  if (is_told(event_kind::join_made)) emit({.kind = event_kind::join_made, .task = number_of(&joined), .name = name});
}

void told_wait::begin(const void* waited_for, awaited what) noexcept {
  if (paths_are_learned.load(order::relaxed)) learn_wait();
  if (!is_told(event_kind::wait_begun)) return;
  emit({.kind = event_kind::wait_begun, .task = number_of(waited_for), .value = static_cast<double>(what)});
  if (what != awaited::ready_state) m_waited_for = waited_for;
}

} // namespace treadle::detail
