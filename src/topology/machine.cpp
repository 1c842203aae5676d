#include <treadle/observe/machine.hpp>

#include "topology/machine_tree.hpp"
#include "topology/usable_cores.hpp"

#include <unistd.h>

#include <stdexcept>

namespace treadle {
namespace {

unsigned count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int n = hwloc_get_nbobjs_by_type(topology, type);
  return n > 0 ? static_cast<unsigned>(n) : 0;
}

std::uint64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  return cache ? cache->attr->cache.size : 0;
}

} // namespace

unsigned usable_cores() { return detail::usable_cores(); }

machine_info describe_machine() {
  const hwloc_topology_t machine = detail::this_machine();
  if (!machine) throw std::runtime_error("hwloc: cannot read the topology of this machine");

  machine_info info;
  const hwloc_obj_t package = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PACKAGE, 0);
  const char* model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  info.processor = model ? model : "unknown";
  info.packages = count(machine, HWLOC_OBJ_PACKAGE);
  info.cores = count(machine, HWLOC_OBJ_CORE);
  info.processing_units = count(machine, HWLOC_OBJ_PU);
  info.numa_domains = count(machine, HWLOC_OBJ_NUMANODE);
  info.usable_cores = detail::usable_cores();
  info.l1d_bytes = cache_bytes(machine, HWLOC_OBJ_L1CACHE);
  info.l2_bytes = cache_bytes(machine, HWLOC_OBJ_L2CACHE);
  info.l3_bytes = cache_bytes(machine, HWLOC_OBJ_L3CACHE);
  info.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return info;
}

} // namespace treadle
