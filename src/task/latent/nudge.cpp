#include "task/latent/nudge.hpp"

#include "task/worker/worker.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace treadle::detail {

namespace {

// What reaches a process by accident rarely uses it, it is ignored by default, and debuggers let it pass.
constexpr int k_signal = SIGURG;

/// May come between any two instructions of a worker, or to a thread that is none.
void answer(int) {
  if (task_stack* current = this_task_stack()) current->runner->latent.answer_nudge(*current);
}

bool install() noexcept {
  struct sigaction present{};
  if (sigaction(k_signal, nullptr, &present) != 0) return false;
  if ((present.sa_flags & SA_SIGINFO) || (present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN)) return false;
  struct sigaction ours{};
  ours.sa_handler = answer;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  return sigaction(k_signal, &ours, nullptr) == 0;
}

} // namespace

bool enable_nudges() noexcept {
  static const bool installed = install();
  return installed;
}

void accept_nudges() noexcept {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, k_signal);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

void send_nudge(int thread_id) noexcept {
  if (thread_id != 0) syscall(SYS_tgkill, getpid(), thread_id, k_signal);
}

} // namespace treadle::detail
