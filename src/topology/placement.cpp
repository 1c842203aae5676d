#include "topology/placement.hpp"

#include <stdexcept>

#include <sched.h>

namespace treadle::detail {

binding binding_from_name(std::string_view name) {
  if (name.empty() || name == "none") return std::nullopt;
  return mapping_from_name(name);
}

std::vector<unsigned> cpus_of_workers(binding how, const process_mask& within, std::span<const unsigned> pools) {
  std::vector<unsigned> cpus = within.cpus();
  if (!how) return cpus;
  try {
    const topology machine = topology::of_this_machine().within(cpus);
    if (machine.units.size() != cpus.size()) return cpus; // some were not allowed when the topology was read
    std::vector<unsigned> placed;
    for (const auto& pool : map_workers(machine, *how, pools))
      for (const unsigned unit : pool) placed.push_back(machine.units[unit].os_index);
    return placed;
  } catch (const std::runtime_error&) {
    return cpus;
  }
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

} // namespace treadle::detail
