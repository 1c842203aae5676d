#pragma once

#include <treadle/runtime.hpp>

namespace treadle::detail {

/// Calls one of worker_hooks; null: nothing.
void call_worker_hook(void (*hook)(void*, unsigned) noexcept, void* context, unsigned worker) noexcept;
/// Throws std::system_error (resource_deadlock_would_occur) inside of one: the worker that would have to go on is the
/// one that waits, and the runtime may not be there yet, or any more.
void refuse_in_worker_hook();

} // namespace treadle::detail
