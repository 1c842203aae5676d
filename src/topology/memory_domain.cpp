#include "topology/memory_domain.hpp"

#include "topology/machine_tree.hpp"

#include <treadle/topology.hpp>

#include <memory>
#include <vector>

namespace treadle::detail {
namespace {

/// By the number that the system gives a memory; -1: it is no processor's nearest. Empty where there is nothing to
/// tell.
std::vector<int> numbers_of_domains() {
  const hwloc_topology_t machine = this_machine();
  const topology& here = topology::of_this_machine();
  std::vector<int> numbers;
  if (!machine || here.domains < 2) return numbers;
  hwloc_obj_t unit = nullptr;
  for (const processing_unit& one : here.units) {
    unit = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, unit);
    const int nearest = unit && unit->nodeset ? hwloc_bitmap_first(unit->nodeset) : -1;
    if (nearest < 0) continue;
    const auto at = static_cast<std::size_t>(nearest);
    if (numbers.size() <= at) numbers.resize(at + 1, -1);
    numbers[at] = static_cast<int>(one.domain);
  }
  return numbers;
}

} // namespace

int memory_domain(const void* data, std::size_t bytes) noexcept {
  try {
    static const std::vector<int> numbers = numbers_of_domains();
    if (numbers.empty() || bytes == 0) return -1;
    const auto domain_at = [&](std::size_t offset) {
      const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> found(hwloc_bitmap_alloc(),
                                                                                &hwloc_bitmap_free);
      const void* const byte = static_cast<const char*>(data) + offset;
      if (!found || hwloc_get_area_memlocation(this_machine(), byte, 1, found.get(), HWLOC_MEMBIND_BYNODESET) != 0)
        return -1;
      const int memory = hwloc_bitmap_first(found.get());
      return memory >= 0 && static_cast<std::size_t>(memory) < numbers.size()
                 ? numbers[static_cast<std::size_t>(memory)]
                 : -1;
    };
    const int first = domain_at(0), middle = domain_at(bytes / 2), last = domain_at(bytes - 1);
    return first == last && first >= 0 ? first : middle;
  } catch (...) { // no memory
    return -1;
  }
}

} // namespace treadle::detail
