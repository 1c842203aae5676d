#pragma once

#include <treadle/topology.hpp>

#include <span>
#include <vector>

namespace treadle::detail {

/// The other workers of a pool, the nearest first: who shares a cache, then a NUMA domain, then a package, then the
/// others by the distance of their domains. The search order of HPX's schedulers (Grubel et al., CLUSTER 2015) is the
/// second of these steps.
struct steal_order {
  std::vector<unsigned> workers; ///< by their numbers in the pool; none: all are alike
  std::vector<unsigned> ends;    ///< of those that are equally near, as positions in `workers`

  friend bool operator==(const steal_order&, const steal_order&) = default;
};

/// For each worker, where `places` are those of the workers, as indices of topology::units.
std::vector<steal_order> steal_orders(const topology& machine, std::span<const unsigned> places);

} // namespace treadle::detail
