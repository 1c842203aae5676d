#pragma once

#include "observe/emit.hpp"

#include <treadle/detail/job.hpp>

#include <cstdint>

namespace treadle::detail {

/// Tells an event of a task, if anybody wants to know.
inline void tell(event_kind kind, const job& task) noexcept {
  if (!is_wanted(kind)) return;
  const bool named = kind == event_kind::task_created || kind == event_kind::task_started;
  const task_name name = named ? task.name() : task_name{};
  emit({.kind = kind, .task = number_of(&task), .name = {name.text, name.bytes}});
}

/// Tells traces that something takes part in something else.
inline void tell_dependence(event_kind kind, const void* on, const void* of) noexcept {
  emit({.kind = kind, .task = number_of(on), .value = event_record::as_value(number_of(of))});
}

/// The running task, or a foreign thread, waits for something here: a state, or a group. Without an end when that is
/// ready at once.
class told_wait {
 public:
  told_wait(const void* waited_for, bool is_ready) noexcept {
    if (!is_wanted(event_kind::wait_begun)) return;
    emit({.kind = event_kind::wait_begun, .task = number_of(waited_for), .value = is_ready ? 1.0 : 0.0});
    if (!is_ready) m_waited_for = waited_for;
  }
  ~told_wait() {
    if (TREADLE_UNLIKELY(m_waited_for != nullptr))
      emit({.kind = event_kind::wait_ended, .task = number_of(m_waited_for)});
  }
  told_wait(const told_wait&) = delete;
  told_wait& operator=(const told_wait&) = delete;

 private:
  const void* m_waited_for = nullptr;
};

} // namespace treadle::detail
