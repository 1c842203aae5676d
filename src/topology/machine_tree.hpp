#pragma once

#include <hwloc.h>

namespace treadle::detail {

/// The topology of this machine, read by the first call (some milliseconds); null where that is not possible. Any
/// thread.
hwloc_topology_t this_machine() noexcept;

} // namespace treadle::detail
