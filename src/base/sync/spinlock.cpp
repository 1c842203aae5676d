#include <treadle/detail/spinlock.hpp>

#include <sched.h>

namespace treadle::detail {

void spinlock::lock_slow() noexcept {
  for (int round = 0;; ++round) {
    for (int spin = 0; spin < 64; ++spin) {
      if (m_held.load(order::relaxed) == 0 && try_lock()) return;
      cpu_relax();
    }
    if (round > 2) sched_yield(); // the owner may need this very core
  }
}

} // namespace treadle::detail
