#pragma once

#include "model/support.hpp"
#include "task/wait/thread_wait.hpp"

namespace treadle::check {

/// treadle::detail::waiter of a thread outside of the runtime.
struct small_waiter {
  void block(bool (*publish)(void*), void* argument) {
    if (publish(argument)) block();
  }
  void block() { detail::await(word); }
  void notify() noexcept { // the waiter may be gone before it returns
    require(notified == 0, "it is notified once");
    notified = 1;
    detail::notify_thread(word);
  }

  plain<int> notified = 0;
  detail::notification word;
};

} // namespace treadle::check
