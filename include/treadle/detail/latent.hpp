#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/waiter.hpp>

#include <exception>

namespace treadle::detail {

class future_state;
class latent_fork;

/// The forks of one stack whose second half nobody started yet. Private to the worker that runs the stack: no atomics.
struct fork_list {
  latent_fork* newest = nullptr;
  const atomic<std::uint64_t>* hungry = nullptr; ///< not zero while some worker looks for work
};

/// The pending half of a fork, on the stack of the task that forked. As long as nobody is hungry it costs two stores to
/// publish and one to take back; promotion turns the *oldest* record of the stack into a task that others can steal.
/// docs/design/latent-forks.md
class latent_fork {
 public:
  /// Adds the record to the calling worker's list, and promotes when somebody is hungry: call(argument) may be running
  /// elsewhere when the constructor returns. On a foreign thread it stays out of any list.
  latent_fork(void (*call)(void*), void* argument) noexcept;
  latent_fork(const latent_fork&) = delete;
  latent_fork& operator=(const latent_fork&) = delete;

  /// Once, in reverse order of construction. True: the caller runs the pending half itself. False: it was promoted and
  /// has run (here, inside this call, or on another worker).
  bool join();

  std::exception_ptr exception; ///< of the promoted half

 private:
  friend class promoted_fork;
  friend class worker;

  void (*m_call)(void*);
  void* m_argument;
  latent_fork* m_older = nullptr;
  fork_list* m_list = nullptr;
  future_state* m_promoted = nullptr; // holds a reference
};

} // namespace treadle::detail
