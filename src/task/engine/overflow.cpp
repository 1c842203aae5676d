#include "task/engine/overflow.hpp"

#include "task/worker/worker.hpp"

#include <charconv>

#include <signal.h>
#include <unistd.h>

namespace treadle::detail {

namespace {

struct sigaction g_before{};

/// The heap may be in any state: writes pieces of text as they are.
void say(const char* text, std::size_t bytes) noexcept { [[maybe_unused]] const auto ignored = write(2, text, bytes); }
void say(task_name text) noexcept { say(text.text, text.bytes); }

void report(const task_stack& current, const stack& memory) noexcept {
  say(name_from("treadle: stack overflow in task "));
  say(current.running ? current.running->task->name() : name_from("(none)"));
  say(name_from("\n  its stack has "));
  char digits[24];
  const auto usable = memory.mapping_bytes - memory.guard_bytes;
  say(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof(digits), usable).ptr - digits));
  say(name_from(" bytes; runtime_options::stack_bytes, --treadle:stack-bytes=N or TREADLE_STACK_BYTES=N give more,"
                " this_task::on_fresh_stack() lets a recursion go on\n"));
}

void on_fault(int signal, siginfo_t* information, void* context) {
  if (const task_stack* current = this_task_stack()) {
    const stack& memory = current->runner->stacks.current().memory();
    if (memory.guards(information->si_addr)) report(*current, memory);
  }
  if (g_before.sa_flags & SA_SIGINFO) return g_before.sa_sigaction(signal, information, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) return g_before.sa_handler(signal);
  sigaction(signal, &g_before, nullptr);        // the instruction faults again, and the process dies as it would have
  if (information->si_code <= 0) raise(signal); // ... but there is none when somebody has sent the signal
}

bool install() noexcept {
  if constexpr (k_sanitized) return false; // the sanitizer reports it itself
  struct sigaction ours{};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, nullptr, &g_before);
  sigaction(SIGSEGV, &ours, nullptr);
  return true;
}

} // namespace

void report_stack_overflows() noexcept { [[maybe_unused]] static const bool installed = install(); }

} // namespace treadle::detail
