#include "topology/placement.hpp"

#include "topology/machine_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include <sched.h>

namespace treadle::detail {
namespace {

/// Where a hardware thread is: the number of its package, of its core in the package, of itself in the core.
struct place {
  unsigned package, core, thread, cpu;
};

unsigned rank_below(hwloc_topology_t machine, hwloc_obj_t inner, hwloc_obj_t outer) {
  unsigned rank = 0;
  for (hwloc_obj_t other = nullptr; outer && (other = hwloc_get_next_obj_inside_cpuset_by_type(
                                                  machine, outer->cpuset, inner->type, other)) != inner;)
    ++rank;
  return rank;
}

place place_of(hwloc_topology_t machine, unsigned cpu) {
  const hwloc_obj_t thread = hwloc_get_pu_obj_by_os_index(machine, cpu);
  if (!thread) return {0, cpu, 0, cpu};
  const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, thread);
  const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, thread);
  return {package ? package->logical_index : 0, core ? rank_below(machine, core, package) : thread->logical_index,
          core ? rank_below(machine, thread, core) : 0, cpu};
}

void run_on(unsigned cpu) noexcept {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (!set) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

} // namespace

binding binding_from_name(std::string_view name) {
  if (name.empty() || name == "none") return binding::none;
  if (name == "compact") return binding::compact;
  if (name == "scatter") return binding::scatter;
  throw std::invalid_argument("expected none, compact or scatter, got '" + std::string(name) + "'");
}

std::vector<unsigned> cpus_in_order(binding how, const process_mask& within) {
  std::vector<unsigned> cpus = within.cpus();
  const hwloc_topology_t machine = how == binding::none ? nullptr : this_machine();
  if (!machine) return cpus;
  std::vector<place> places;
  for (const unsigned cpu : cpus) places.push_back(place_of(machine, cpu));
  std::sort(places.begin(), places.end(), [how](const place& a, const place& b) {
    return how == binding::compact
               ? std::tie(a.package, a.core, a.thread, a.cpu) < std::tie(b.package, b.core, b.thread, b.cpu)
               : std::tie(a.thread, a.core, a.package, a.cpu) < std::tie(b.thread, b.core, b.package, b.cpu);
  });
  std::transform(places.begin(), places.end(), cpus.begin(), [](const place& p) { return p.cpu; });
  return cpus;
}

void place_worker(unsigned n, binding how, const process_mask& within) noexcept {
  try {
    const std::vector<unsigned> cpus = cpus_in_order(how, within);
    if (!cpus.empty()) run_on(cpus[n % cpus.size()]);
  } catch (...) { // no memory
  }
  if (how == binding::none) within.apply(); // from there
}

} // namespace treadle::detail
