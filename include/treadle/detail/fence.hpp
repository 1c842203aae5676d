#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// A pair of fences with the cost on one side. For two threads that each write one word and then read the other's
/// (store-load, "Dekker"), a light fence on the frequent side and a heavy one on the rare side guarantee that at least
/// one of them sees the other's write, as two sequentially consistent fences would.
///
/// The heavy side asks the kernel to run a full barrier on every core that executes this process
/// (membarrier(2), private expedited, 1-3 us); the light side is then only a compiler barrier. Where the kernel refuses
/// membarrier, both sides are real fences. The model build replaces both (docs/design/model-checking.md).
#if defined(TREADLE_MODEL)
void light_fence(std::source_location at = std::source_location::current()) noexcept;
void heavy_fence(std::source_location at = std::source_location::current()) noexcept;
#else
extern bool g_light_fence_is_free; // set once by init_asymmetric_fence()

/// Must have been called before the first light fence; repeated calls are cheap.
void init_asymmetric_fence() noexcept;

inline void light_fence() noexcept {
  if (TREADLE_LIKELY(g_light_fence_is_free)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } else {
#if defined(TREADLE_TSAN)
    static atomic<int> sink{0};
    sink.fetch_add(0, order::seq_cst); // ThreadSanitizer does not model fences, and GCC rejects them
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
  }
}

void heavy_fence() noexcept;
#endif

} // namespace treadle::detail
