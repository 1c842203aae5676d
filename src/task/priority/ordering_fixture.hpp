#pragma once

#include "task/engine/scheduler.hpp"

namespace treadle::testing {

/// Of all pools that go by paths, as a pool_tuner does.
inline void set_ordering(const runtime& of, bool ordered) {
  for (const auto& pool : detail::scheduler::pools_of(of)) pool->set_ordering(ordered);
}

} // namespace treadle::testing
