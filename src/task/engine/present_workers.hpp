#pragma once

namespace treadle::detail {

/// Workers of the pool of the caller, otherwise of the current runtime; 0: there is none. One or two loads.
unsigned present_workers() noexcept;

} // namespace treadle::detail
