#pragma once

#include <treadle/detail/waiter.hpp>

namespace treadle::detail {

/// Locks. True when `blocked()` holds and the caller can wait for its end, which cannot fail then; false when it does
/// not hold. Throws as prepare_to_block(), the lock released.
template <class Blocked>
bool lock_to_wait(spinlock& lock, Blocked blocked) {
  lock.lock();
  while (blocked()) {
    if (ready_to_block(lock)) return true;
  }
  return false;
}

} // namespace treadle::detail
