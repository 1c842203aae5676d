#include <treadle/topology.hpp>

#include "topology/machine_tree.hpp"
#include "topology/process_mask.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>

#include <hwloc/distances.h>

namespace treadle {
namespace {

struct destroy {
  void operator()(hwloc_topology_t tree) const noexcept { hwloc_topology_destroy(tree); }
};
using tree_pointer = std::unique_ptr<hwloc_topology, destroy>;

tree_pointer begin_tree() {
  hwloc_topology_t tree = nullptr;
  if (hwloc_topology_init(&tree) != 0) throw std::bad_alloc();
  return tree_pointer(tree);
}

/// Numbers objects in the order in which they are met.
class numbering {
 public:
  unsigned operator()(const void* object) {
    return m_numbers.try_emplace(object, static_cast<unsigned>(m_numbers.size())).first->second;
  }
  unsigned size() const noexcept { return static_cast<unsigned>(m_numbers.size()); }
  /// Its number when it was met; size() when not.
  unsigned find(const void* object) const {
    const auto found = m_numbers.find(object);
    return found == m_numbers.end() ? size() : found->second;
  }

 private:
  std::map<const void*, unsigned> m_numbers;
};

hwloc_obj_t largest_shared_cache(hwloc_obj_t unit) {
  hwloc_obj_t found = nullptr;
  for (hwloc_obj_t outer = unit->parent; outer; outer = outer->parent)
    if (hwloc_obj_type_is_cache(outer->type) && hwloc_bitmap_weight(outer->cpuset) > 1) found = outer;
  return found;
}

/// The first of those that are nearest: others may be memory of another kind.
hwloc_obj_t local_memory(hwloc_topology_t tree, hwloc_obj_t unit) {
  const int first = unit->nodeset ? hwloc_bitmap_first(unit->nodeset) : -1;
  return first < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(tree, static_cast<unsigned>(first));
}

std::vector<double> read_distances(hwloc_topology_t tree, const numbering& domains) {
  hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  constexpr unsigned long k_latencies = HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  if (hwloc_distances_get_by_type(tree, HWLOC_OBJ_NUMANODE, &count, &found, k_latencies, 0) != 0 || count == 0)
    return {};
  const std::size_t n = domains.size();
  std::vector<double> distances(n * n, 0);
  for (unsigned i = 0; i < found->nbobjs; ++i) {
    for (unsigned j = 0; j < found->nbobjs; ++j) {
      const std::size_t row = domains.find(found->objs[i]), column = domains.find(found->objs[j]);
      if (row < n && column < n)
        distances[row * n + column] = static_cast<double>(found->values[i * found->nbobjs + j]);
    }
  }
  hwloc_distances_release(tree, found);
  if (std::find(distances.begin(), distances.end(), 0) != distances.end()) return {}; // of other objects
  return distances;
}

/// Numbers the hardware threads of each core.
void number_threads(std::vector<processing_unit>& units) {
  std::map<unsigned, unsigned> met; // so far, by core
  for (processing_unit& one : units) one.thread = met[one.core]++;
}

topology read(hwloc_topology_t tree) {
  topology result;
  numbering cores, caches, domains, packages;
  for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_PU, unit));) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(tree, HWLOC_OBJ_CORE, unit);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(tree, HWLOC_OBJ_PACKAGE, unit);
    const hwloc_obj_t cache = largest_shared_cache(unit), memory = local_memory(tree, unit);
    processing_unit one;
    one.os_index = unit->os_index;
    one.core = cores(core ? core : unit);
    one.cache = caches(cache ? cache : core ? core : unit);
    one.domain = domains(memory);
    one.package = packages(package);
    result.units.push_back(one);
  }
  number_threads(result.units);
  result.domains = domains.size();
  result.distances = read_distances(tree, domains);
  return result;
}

topology load_and_read(hwloc_topology_t tree, const std::string& what) {
  hwloc_topology_set_type_filter(tree, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(tree) != 0) throw std::invalid_argument(what + ": hwloc cannot make a machine of it");
  return read(tree);
}

/// "10,21;21,10".
std::vector<double> parse_distances(std::string_view text, unsigned domains) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("distances '" + std::string(text) + "': " + why);
  };
  std::vector<double> all;
  std::size_t rows = 0;
  if (text.ends_with(',') || text.ends_with(';')) refuse("something is missing at the end");
  for (std::string_view rest = text; !rest.empty(); ++rows) {
    std::string_view row = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(row.size() + 1, rest.size()));
    std::size_t columns = 0;
    for (; !row.empty(); ++columns) {
      std::string_view one = row.substr(0, row.find(','));
      row.remove_prefix(std::min(one.size() + 1, row.size()));
      double value = 0;
      while (one.starts_with(' ')) one.remove_prefix(1);
      const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), value);
      if (error != std::errc{} || end != one.data() + one.size() || !(value > 0) || !std::isfinite(value))
        refuse("expected a number above 0, got '" + std::string(one) + "'");
      all.push_back(value);
    }
    if (columns != domains)
      refuse("row " + std::to_string(rows + 1) + " has " + std::to_string(columns) + " numbers for " +
             std::to_string(domains) + " domains");
  }
  if (rows != domains) refuse(std::to_string(rows) + " rows for " + std::to_string(domains) + " domains");
  for (std::size_t d = 0; d < domains; ++d) {
    const double own = all[d * domains + d];
    for (std::size_t other = 0; other < domains; ++other)
      if (all[d * domains + other] < own)
        refuse("domain " + std::to_string(d) + " is farther from itself than from domain " + std::to_string(other));
  }
  return all;
}

} // namespace

double topology::distance(unsigned domain, unsigned other) const {
  if (std::max(domain, other) >= domains)
    throw std::invalid_argument("there is no domain " + std::to_string(std::max(domain, other)) + ", only " +
                                std::to_string(domains));
  if (domain == other) return 1;
  if (distances.size() != std::size_t{domains} * domains)
    throw std::invalid_argument("the distances between the " + std::to_string(domains) +
                                " domains of this topology are not known: give them with it");
  return distances[std::size_t{domain} * domains + other] / distances[std::size_t{domain} * domains + domain];
}

topology topology::within(std::span<const unsigned> os_indices) const {
  topology result{{}, domains, distances};
  std::copy_if(units.begin(), units.end(), std::back_inserter(result.units), [&](const processing_unit& one) {
    return std::find(os_indices.begin(), os_indices.end(), one.os_index) != os_indices.end();
  });
  number_threads(result.units);
  return result;
}

topology topology::with_distances(std::string_view rows) const {
  return {units, domains, parse_distances(rows, domains)};
}

const topology& topology::of_this_machine() {
  static const topology* const machine = [] { // never destroyed: it may be asked until the end
    const hwloc_topology_t tree = detail::this_machine();
    if (!tree) throw std::runtime_error("hwloc: cannot read the topology of this machine");
    return new topology(read(tree));
  }();
  return *machine;
}

topology topology::of_this_process() {
  const std::vector<unsigned> cpus = detail::process_mask().cpus();
  return cpus.empty() ? of_this_machine() : of_this_machine().within(cpus); // empty: the mask cannot be read
}

topology topology::from_xml(const std::string& file) {
  const tree_pointer tree = begin_tree();
  const std::string what = "topology file '" + file + "'";
  if (hwloc_topology_set_xml(tree.get(), file.c_str()) != 0)
    throw std::invalid_argument(what + ": cannot be read, or is no XML of hwloc");
  return load_and_read(tree.get(), what);
}

namespace {

/// How many objects the lowest level has, as far as the numbers of a synthetic description tell.
double objects_of(const std::string& description) {
  double n = 1;
  for (const char* at = description.c_str(); *at != '\0'; ++at) {
    if (*at == '(') { // attributes of a level
      while (*at != '\0' && *at != ')') ++at;
      if (*at == '\0') break;
    }
    const bool begins =
        std::isdigit(static_cast<unsigned char>(*at)) && (at == description.c_str() || at[-1] == ':' || at[-1] == ' ');
    if (!begins) continue;
    char* end = nullptr;
    n *= std::strtod(at, &end);
    at = end - 1;
  }
  return n;
}

} // namespace

topology topology::from_description(const std::string& description) {
  constexpr double k_most = 1 << 16; // hwloc takes minutes for a million
  const std::string what = "topology '" + description + "'";
  if (objects_of(description) > k_most)
    throw std::invalid_argument(what + ": expected at most " + std::to_string(1 << 16) + " hardware threads");
  const tree_pointer tree = begin_tree();
  if (hwloc_topology_set_synthetic(tree.get(), description.c_str()) != 0)
    throw std::invalid_argument(what + ": expected levels with their numbers, as in 'numa:4 core:18 pu:4'");
  return load_and_read(tree.get(), what);
}

} // namespace treadle
