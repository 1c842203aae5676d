#pragma once

namespace treadle::detail {

/// A stack for the signal handlers of the calling thread, which may be on a task's small stack, or at the end of it.
/// Does nothing when the thread has one already.
class alternate_stack {
 public:
  alternate_stack() noexcept;
  ~alternate_stack();
  alternate_stack(const alternate_stack&) = delete;
  alternate_stack& operator=(const alternate_stack&) = delete;

 private:
  void* m_memory = nullptr;
};

} // namespace treadle::detail
