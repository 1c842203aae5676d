#include "topology/machine_tree.hpp"

namespace treadle::detail {

hwloc_topology_t this_machine() noexcept {
  static const hwloc_topology_t machine = []() -> hwloc_topology_t { // never destroyed: it may be asked until the end
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return nullptr;
    if (hwloc_topology_load(topology) == 0) return topology;
    hwloc_topology_destroy(topology);
    return nullptr;
  }();
  return machine;
}

} // namespace treadle::detail
