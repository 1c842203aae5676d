#pragma once

#include <treadle/runtime.hpp>

#include <string>
#include <vector>

namespace treadle::detail {

/// A pool as it is set up: nothing is left to be found out.
struct resolved_pool {
  pool described;            ///< with workers, stack_bytes, and without domains: these are in cpus
  bool counts_cores = false; ///< nobody has said how many workers there are
};

/// What a runtime's pools may use.
struct usable_threads {
  std::vector<unsigned> cpus; ///< the hardware threads of the process, rising
  unsigned cores;             ///< as many may be kept busy
};

/// Nobody has said how many workers the pool "default" has.
bool counts_cores(const runtime_options& options);

/// The pools of a runtime in the order of their description; the pool "default" is the first when it is not described.
/// Throws std::invalid_argument, with the name of the pool, when a pool has no number of workers, hardware threads that
/// the process may not use or another pool has for itself, or pools together more than there are.
std::vector<resolved_pool> resolve_pools(const runtime_options& options, const usable_threads& usable);

} // namespace treadle::detail
