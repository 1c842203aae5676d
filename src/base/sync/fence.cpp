#include <treadle/detail/fence.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace treadle::detail {

bool g_light_fence_is_free = false;

void init_asymmetric_fence() noexcept {
  // Inside the guarded initialisation, so that runtimes which start at the same time do not race for the flag.
  [[maybe_unused]] static const bool registered = [] {
    return g_light_fence_is_free = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  }();
}

void heavy_fence() noexcept {
  if (g_light_fence_is_free) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    return;
  }
#if defined(TREADLE_TSAN)
  light_fence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

} // namespace treadle::detail
