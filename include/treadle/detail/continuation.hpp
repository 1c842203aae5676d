#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Something to do when a future becomes ready. Linked into the future's state, which does not own it.
class continuation {
 public:
  /// Called exactly once, on the thread that completes the state or, when it is ready already, on the one that
  /// attaches.
  /// `*this` may delete itself. Must not block for long: it delays the completing thread.
  virtual void fire() noexcept = 0;
  /// True when that does nothing but wake somebody who is blocked: the others come after those.
  virtual bool only_wakes() const noexcept { return false; }

  // Used by the list in the state.
  plain<continuation*> next_continuation = nullptr;     // older; in a list that is fired, the next one
  plain<continuation*> previous_continuation = nullptr; // newer, once somebody needed it to take one out

 protected:
  ~continuation() = default;
};

} // namespace treadle::detail
