#include "fiber/fiber.hpp"

#include <cxxabi.h>

#if defined(TREADLE_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace treadle::detail {

using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

exception_state& thread_exceptions() noexcept { return *reinterpret_cast<exception_state*>(abi::__cxa_get_globals()); }

fiber::fiber(std::size_t stack_bytes, entry_function entry)
    : m_stack(allocate_stack(stack_bytes)), m_entry(entry), m_owns_stack(true) {
  m_context = make_fcontext(m_stack.top(), m_stack.mapping_bytes, [](transfer_t arrival) {
    auto* from = static_cast<fiber*>(arrival.data);
    start(arrival.fctx, from, from->m_target);
  });
#if defined(TREADLE_TSAN)
  m_tsan_fiber = __tsan_create_fiber(0);
#endif
}

fiber::fiber() : m_stack(thread_stack()) {
#if defined(TREADLE_TSAN)
  m_tsan_fiber = __tsan_get_current_fiber();
#endif
}

fiber::~fiber() {
  if (!m_owns_stack) return;
#if defined(TREADLE_TSAN)
  __tsan_destroy_fiber(m_tsan_fiber);
#endif
#if defined(TREADLE_ASAN)
  // The frames are dropped without unwinding: their poisoned red zones must not haunt the next mapping.
  ASAN_UNPOISON_MEMORY_REGION(m_stack.limit(), static_cast<std::size_t>(static_cast<char*>(m_stack.top()) -
                                                                        static_cast<char*>(m_stack.limit())));
#endif
  free_stack(m_stack);
}

void fiber::start(void* previous_context, fiber* from, fiber* self) {
  from->finish_switch(previous_context);
#if defined(TREADLE_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  self->m_entry(*self, *from);
  __builtin_unreachable();
}

} // namespace treadle::detail
