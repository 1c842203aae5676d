// What other parts of the library know of the state of a program. Null where there is nothing. Any thread, without
// waiting for tasks.
#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

struct program_state;

inline constinit atomic<void (*)(program_state& to)> g_add_workers{nullptr};
inline constinit atomic<void (*)(program_state& to)> g_add_decisions{nullptr};

/// No agent governs the program.
inline constexpr unsigned k_not_governed = ~0u;
/// What an agent lets the program have at the moment, for runtimes that begin.
inline constinit atomic<unsigned> g_governed{k_not_governed};
/// Lets this many workers of all runtimes together be active, whatever the program itself allows beyond that, or
/// k_not_governed.
inline constinit atomic<void (*)(unsigned workers)> g_govern{nullptr};
/// The program has become visible, or an agent that has begun invites it.
inline constinit atomic<void (*)() noexcept> g_invited{nullptr};

} // namespace treadle::detail
