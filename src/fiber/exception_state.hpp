#pragma once

#include "fiber/fiber.hpp"

namespace treadle::detail {

/// Stores the calling thread's exception state into `save` and installs `load`. Out of line on purpose: the C++ runtime
/// declares the accessor of that state const, so a compiler may reuse its address after a switch to another thread.
void exchange_exception_state(exception_state& save, const exception_state& load) noexcept;

} // namespace treadle::detail
