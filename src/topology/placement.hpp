#pragma once

#include "topology/process_mask.hpp"
#include "topology/steal_order.hpp"

#include <treadle/topology.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::detail {

/// How workers are bound to hardware threads; none: they begin one after the other, and the operating system moves them
/// as it likes.
using binding = std::optional<mapping>;
/// By the name of a mapping or "none", which an empty name is, too. Throws std::invalid_argument that names `source`,
/// where the name comes from, and lists the names.
binding binding_from_name(std::string_view name, std::string_view source);
std::string name_of(binding how);
/// Reads the topology, if it takes that, so that place_pools() does not take milliseconds.
void prepare(binding how) noexcept;

/// A pool that is to be placed; hardware threads by the numbers of the operating system.
struct placed_pool {
  unsigned workers;
  std::vector<unsigned> cpus; ///< rising; none: those that belong to no other pool
};
/// Where its workers run. When the pool has more workers than there are places, these are given out again.
struct pool_places {
  std::vector<unsigned> workers; ///< where each of them begins, and is bound to when there is a mapping
  std::vector<unsigned> all;     ///< where they may run
  std::vector<steal_order> near; ///< of each worker; none where they are not bound
};
/// The places of pools in a mask. What a pool has beyond the mask does not count, and when nothing is left to it that
/// way, all of the mask does. A mapping reads the topology, which takes some milliseconds the first time; without one,
/// and where it cannot be read, workers begin one after the other.
std::vector<pool_places> place_pools(binding how, const process_mask& within, std::span<const placed_pool> pools);

/// Puts the calling thread there; where the system refuses it, it stays where it is.
void run_on(std::span<const unsigned> cpus) noexcept;

} // namespace treadle::detail
