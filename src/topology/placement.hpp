#pragma once

#include "topology/process_mask.hpp"

#include <string_view>
#include <vector>

namespace treadle::detail {

/// How workers are placed on the hardware threads of the process.
enum class binding {
  none,    ///< one after the other at first; from there the operating system moves them as it likes
  compact, ///< bound, neighbours in the machine one after the other
  scatter  ///< bound, as far apart as possible: all packages first, then all cores, then the threads of a core
};
/// By "none", "compact" or "scatter"; an empty name is "none". Throws std::invalid_argument.
binding binding_from_name(std::string_view name);

/// The hardware threads of a mask, by the numbers of the operating system, in the order in which workers get them.
/// Other orders than `none` read the topology, which takes some milliseconds the first time.
std::vector<unsigned> cpus_in_order(binding how, const process_mask& within);

/// Puts the calling thread, the n-th worker, in its place; when there are more workers than places they are shared.
/// Where the system refuses it, the thread stays where it is.
void place_worker(unsigned n, binding how, const process_mask& within) noexcept;

} // namespace treadle::detail
