#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

class latent_fork;
class promoted_fork;

/// The forks of one stack whose second half nobody started yet. Private to the worker that runs the stack: no atomics.
struct fork_list {
  latent_fork* newest = nullptr;
  const atomic<std::uint64_t>* hungry = nullptr; ///< not zero while some worker looks for work
};

} // namespace treadle::detail

/// The list of the worker that this thread is, null on foreign threads; this_fork_list() reads it.
extern "C" [[gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::fork_list* treadle_fork_list;

namespace treadle::detail {

#if defined(__x86_64__)
/// Reads the thread-local variable anew at every call, in two instructions. A compiler may otherwise keep the address
/// of a thread-local across a call, and after a suspension the fiber may run on another thread.
inline fork_list* this_fork_list() noexcept {
  fork_list* list;
  asm volatile("movq treadle_fork_list@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(list));
  return list;
}
#else
fork_list* this_fork_list() noexcept; // never inlined, for the same reason
#endif

/// The pending half of a fork, on the stack of the task that forked. As long as nobody is hungry it costs a few stores
/// to publish and one to take back; promotion turns the *oldest* record of the stack into a task that others can steal.
/// docs/design/latent-forks.md
class latent_fork {
 public:
  /// Adds the record to the calling worker's list, and promotes when somebody is hungry: call(argument) may be running
  /// elsewhere when the constructor returns.
  latent_fork(fork_list& list, void (*call)(void*), void* argument) noexcept
      : m_call(call), m_argument(argument), m_older(list.newest) {
    list.newest = this;
    if (TREADLE_UNLIKELY(list.hungry->load(order::relaxed) != 0)) promote_oldest(list);
  }
  latent_fork(const latent_fork&) = delete;
  latent_fork& operator=(const latent_fork&) = delete;

  /// True: the pending half is still latent and the caller runs it itself; the stack was never left since the
  /// constructor, so `list` is still the list of the running worker. False: it was promoted, finish() has to follow. In
  /// reverse order of construction.
  bool take_back(fork_list& list) noexcept {
    if (TREADLE_UNLIKELY(m_promoted != nullptr)) return false;
    list.newest = m_older;
    return true;
  }
  /// Waits for the promoted half, or runs it here when nobody has started it; rethrows what it threw.
  void finish();

  /// When the first half threw: sees to it that the second one runs, whatever it throws.
  void finish_unwinding(fork_list& list) noexcept;

 private:
  friend class promoted_fork;
  friend class worker;

  static void promote_oldest(fork_list& list) noexcept;
  void await() noexcept;

  void (*m_call)(void*);
  void* m_argument;
  latent_fork* m_older;
  promoted_fork* m_promoted = nullptr; // holds a reference
};

} // namespace treadle::detail
