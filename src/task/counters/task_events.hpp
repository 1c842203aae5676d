#pragma once

#include "task/priority/task_paths.hpp"

#include <string_view>

namespace treadle::detail {

[[gnu::cold]] TREADLE_NOINLINE void tell_wanted(event_kind kind, const job& task) noexcept;

/// Tells an event of a task, if anybody wants to know.
inline void tell(event_kind kind, const job& task) noexcept {
  if (is_wanted(kind)) tell_wanted(kind, task);
}
/// The caller waits for what it has made, if only by words of its own.
inline void tell_round_end() noexcept {
  if (TREADLE_UNLIKELY(paths_are_learned.load(order::relaxed))) learn_wait();
}

/// Tells traces that something takes part in something else.
inline void tell_dependence(event_kind kind, const void* on, const void* of) noexcept {
  emit({.kind = kind, .task = number_of(on), .value = event_record::as_value(number_of(of))});
}

/// The state is ready when all are for which note_input() was called just now. `is_new`: nobody else knows it.
void tell_join(future_state& joined, std::string_view name, bool is_new) noexcept;

/// The running task, or a foreign thread, waits for something here: a state, or a group. Without an end when that is
/// ready at once.
class told_wait {
 public:
  told_wait(const void* waited_for, awaited what) noexcept {
    if (is_wanted(event_kind::wait_begun)) begin(waited_for, what);
  }
  ~told_wait() {
    if (TREADLE_UNLIKELY(m_waited_for != nullptr))
      emit({.kind = event_kind::wait_ended, .task = number_of(m_waited_for)});
  }
  told_wait(const told_wait&) = delete;
  told_wait& operator=(const told_wait&) = delete;

 private:
  void begin(const void* waited_for, awaited what) noexcept;

  const void* m_waited_for = nullptr;
};

} // namespace treadle::detail
