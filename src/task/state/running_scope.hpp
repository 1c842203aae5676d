#pragma once

#include "task/counters/task_events.hpp"
#include "task/counters/task_samples.hpp"
#include "task/engine/forked_task.hpp"

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

/// Says what the stack executes, for diagnosis and for those who listen.
class running_scope {
 public:
  /// The caller has told that the task starts.
  struct is_told {};

  explicit running_scope(const job& task) noexcept
      : running_scope((tell(event_kind::task_started, task), task), is_told{}) {}
  running_scope(const job& task, is_told) noexcept : m_stack(this_task_stack()), m_here{&task, nullptr, nullptr} {
    if (!m_stack) return;
    m_here.outer = m_stack->running;
    m_stack->running = &m_here;
    if (k_counts && TREADLE_UNLIKELY(--m_stack->until_sample == 0)) m_here.sample = &m_sample.begin(*m_stack, task);
  }
  ~running_scope() {
    if (TREADLE_UNLIKELY(forked_in_task.load(order::relaxed))) end_forked_task();
    if (TREADLE_UNLIKELY(m_here.sample != nullptr)) m_sample.end(*m_stack, m_here.outer);
    if (m_stack) m_stack->running = m_here.outer;
    tell(event_kind::task_finished, *m_here.task);
  }
  running_scope(const running_scope&) = delete;
  running_scope& operator=(const running_scope&) = delete;

 private:
  task_stack* const m_stack;
  running_task m_here;
  running_sample m_sample;
};

} // namespace treadle::detail
