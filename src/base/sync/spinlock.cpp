#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <sched.h>

namespace treadle::detail {

void patient_spin::yield_core() noexcept { sched_yield(); }

void spinlock::lock_slow() noexcept {
  constexpr int k_pause_max = 256;
  for (int round = 0, pause = 1; m_held.load(order::relaxed) != 0 || !try_lock(); ++round) {
    // The more there are that wait, the longer each of them: every look takes the line away from the owner.
    cpu_relax_for(pause);
    pause = std::min(2 * pause, k_pause_max);
    if (round >= 8) sched_yield(); // the owner may need this very core
  }
}

} // namespace treadle::detail
