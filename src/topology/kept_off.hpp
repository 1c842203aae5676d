#pragma once

#include <sched.h>

namespace treadle::detail {

/// While it lives, a thread is not put on one of the hardware threads, provided that it may run on others. Where its
/// mask is changed by somebody else meanwhile, that change stays. Four system calls.
class kept_off {
 public:
  kept_off(int thread_id, int cpu) noexcept;
  ~kept_off();
  kept_off(const kept_off&) = delete;
  kept_off& operator=(const kept_off&) = delete;

 private:
  int m_thread_id = 0; // 0: nothing was changed
  cpu_set_t m_before, m_meanwhile;
};

} // namespace treadle::detail
