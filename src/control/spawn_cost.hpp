#pragma once

#include "decide/spawn_cost.hpp"

namespace treadle::detail {

/// What a task costs here, measured at the first call on a worker (some microseconds) and what is usual before, and the
/// workers that could take it; none where there is no runtime.
decide::spawn_cost present_spawn_cost() noexcept;

} // namespace treadle::detail
