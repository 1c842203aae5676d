#pragma once

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

/// Says what the stack executes, for diagnosis; nothing on foreign threads.
class running_scope {
 public:
  explicit running_scope(const job& task) noexcept : m_stack(this_task_stack()) {
    if (!m_stack) return;
    m_here = {&task, m_stack->running};
    m_stack->running = &m_here;
  }
  ~running_scope() {
    if (m_stack) m_stack->running = m_here.outer;
  }
  running_scope(const running_scope&) = delete;
  running_scope& operator=(const running_scope&) = delete;

 private:
  task_stack* const m_stack;
  running_task m_here;
};

} // namespace treadle::detail
