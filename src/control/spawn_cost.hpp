#pragma once

#include "decide/spawn_cost.hpp"

namespace treadle::detail {

/// What a task costs here, measured at the first call on a worker (some microseconds), and the workers of the present
/// runtime. On other threads, or without a runtime, what is usual.
decide::spawn_cost present_spawn_cost() noexcept;

} // namespace treadle::detail
