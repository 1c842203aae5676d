// What other parts of the library know of the state of a program. Null where there is nothing. Any thread, without
// waiting for tasks.
#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

struct program_state;

inline constinit atomic<void (*)(program_state& to)> g_add_workers{nullptr};
inline constinit atomic<void (*)(program_state& to)> g_add_decisions{nullptr};

} // namespace treadle::detail
