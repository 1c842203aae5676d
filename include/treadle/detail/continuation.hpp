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

  plain<continuation*> next_continuation = nullptr; // used by the list in the state

 protected:
  ~continuation() = default;
};

} // namespace treadle::detail
