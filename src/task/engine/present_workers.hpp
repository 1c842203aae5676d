#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Workers that may be active in the pool of the caller, otherwise in that of the current runtime; 0: there is none.
/// One or two loads.
unsigned present_workers() noexcept;

extern atomic<unsigned> workers_outside; ///< what it is for threads that are no workers

} // namespace treadle::detail
