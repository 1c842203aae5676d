#pragma once

#include "task/counters/task_events.hpp"
#include "task/counters/task_samples.hpp"
#include "task/engine/forked_task.hpp"

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

/// A task that a stack executes, for diagnosis and for the profile. begin() and end() are called once each, on that
/// stack, which is `on`.
class running_on_stack {
 public:
  running_on_stack() noexcept {} // what begin() and end() write and read is all that there is
  running_on_stack(const running_on_stack&) = delete;
  running_on_stack& operator=(const running_on_stack&) = delete;
  void begin(task_stack& on, const job& task) noexcept {
    m_here = {&task, on.running, nullptr};
    on.running = &m_here;
    if (k_counts && TREADLE_UNLIKELY(--on.until_sample == 0)) m_here.sample = &m_sample.begin(on, task);
  }
  void end(task_stack& on) noexcept {
    if (TREADLE_UNLIKELY(m_here.sample != nullptr)) m_sample.end(on, m_here.outer);
    on.running = m_here.outer;
  }

 private:
  running_task m_here;
  running_sample m_sample;
};

/// The same on any thread, told to those who listen.
class running_scope {
 public:
  /// The caller has told that the task starts.
  struct is_told {};

  explicit running_scope(const job& task) noexcept
      : running_scope((tell(event_kind::task_started, task), task), is_told{}) {}
  running_scope(const job& task, is_told) noexcept : m_stack(this_task_stack()), m_task(task) {
    if (m_stack) m_running.begin(*m_stack, task);
  }
  ~running_scope() {
    if (TREADLE_UNLIKELY(forked_in_task.load(order::relaxed))) end_forked_task();
    if (m_stack) m_running.end(*m_stack);
    tell(event_kind::task_finished, m_task);
  }
  running_scope(const running_scope&) = delete;
  running_scope& operator=(const running_scope&) = delete;

 private:
  task_stack* const m_stack;
  const job& m_task;
  running_on_stack m_running;
};

} // namespace treadle::detail
