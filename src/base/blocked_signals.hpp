#pragma once

#include <pthread.h>
#include <signal.h>

namespace treadle::detail {

/// While it lives, the calling thread gets no signals, and threads that it starts never do: those of the process go to
/// the threads of the program.
class blocked_signals {
 public:
  blocked_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &m_before);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;

 private:
  sigset_t m_before;
};

} // namespace treadle::detail
