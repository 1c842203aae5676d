#include "base/alternate_stack.hpp"

#include <cstddef>

#include <signal.h>
#include <sys/mman.h>

namespace treadle::detail {

namespace {
constexpr std::size_t k_bytes = 64 * 1024; // the registers of the widest vector units take 11 KiB
}

alternate_stack::alternate_stack() noexcept {
  stack_t present{};
  if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE)) return;
  void* memory = mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return; // handlers then run on the stack of the task
  const stack_t wanted{.ss_sp = memory, .ss_flags = 0, .ss_size = k_bytes};
  if (sigaltstack(&wanted, nullptr) == 0)
    m_memory = memory;
  else
    munmap(memory, k_bytes);
}

alternate_stack::~alternate_stack() {
  if (!m_memory) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
  munmap(m_memory, k_bytes);
}

} // namespace treadle::detail
