#include "topology/cpu_distance.hpp"

#include "topology/machine_tree.hpp"

namespace treadle::detail {

cpu_distance distance_between(int cpu, int other_cpu) noexcept {
  const hwloc_topology_t machine = this_machine();
  if (!machine || cpu < 0 || other_cpu < 0) return cpu_distance::machine;
  const hwloc_obj_t a = hwloc_get_pu_obj_by_os_index(machine, static_cast<unsigned>(cpu));
  const hwloc_obj_t b = hwloc_get_pu_obj_by_os_index(machine, static_cast<unsigned>(other_cpu));
  if (!a || !b) return cpu_distance::machine;
  if (a == b) return cpu_distance::core;
  const hwloc_obj_t common = hwloc_get_common_ancestor_obj(machine, a, b);
  if (common->type == HWLOC_OBJ_CORE) return cpu_distance::core;
  if (hwloc_obj_type_is_cache(common->type)) return cpu_distance::cache;
  return hwloc_bitmap_isequal(a->nodeset, b->nodeset) ? cpu_distance::node : cpu_distance::machine;
}

} // namespace treadle::detail
