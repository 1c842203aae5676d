#include "topology/placement.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include <sched.h>

namespace treadle::detail {

binding binding_from_name(std::string_view name, std::string_view source) {
  if (name.empty() || name == "none") return std::nullopt;
  try {
    return mapping_from_name(name);
  } catch (const std::invalid_argument& e) {
    std::string message = e.what();
    message.insert(message.find('(') + 1, "none, ");
    throw std::invalid_argument(std::string(source) + ": " + message);
  }
}
std::string name_of(binding how) { return how ? std::string(to_string(*how)) : "none"; }

void prepare(binding how) noexcept {
  if (!how) return;
  try {
    static_cast<void>(topology::of_this_machine());
  } catch (...) { // it cannot be read: place_pools() does without
  }
}

namespace {

using numbers = std::vector<unsigned>;

/// Where the workers of pools with this many each begin, on hardware threads that are theirs.
std::vector<pool_places> places_within(binding how, const numbers& cpus, std::span<const unsigned> pools) {
  std::vector<pool_places> result(pools.size());
  for (pool_places& one : result) one.all = cpus;
  if (cpus.empty()) return result; // the mask could not be read
  if (how) {
    try {
      const topology machine = topology::of_this_machine().within(cpus);
      if (machine.units.size() == cpus.size()) { // else some were not allowed when the topology was read
        const auto units = map_workers(machine, *how, pools);
        for (std::size_t k = 0; k < pools.size(); ++k) {
          result[k].near = steal_orders(machine, units[k]);
          for (const unsigned unit : units[k]) result[k].workers.push_back(machine.units[unit].os_index);
        }
        return result;
      }
    } catch (const std::runtime_error&) { // it cannot be read
    }
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < pools.size(); ++k)
    for (unsigned i = 0; i < pools[k]; ++i) result[k].workers.push_back(cpus[next++ % cpus.size()]);
  return result;
}

} // namespace

std::vector<pool_places> place_pools(binding how, const process_mask& within, std::span<const placed_pool> pools) {
  const numbers mask = within.cpus();
  numbers rest = mask; // that belongs to no pool
  std::vector<pool_places> result(pools.size());
  numbers sharing; // workers of the pools that have it
  for (std::size_t k = 0; k < pools.size(); ++k) {
    const numbers& own = pools[k].cpus;
    std::erase_if(rest, [&](unsigned cpu) { return std::binary_search(own.begin(), own.end(), cpu); });
    if (own.empty()) {
      sharing.push_back(pools[k].workers);
      continue;
    }
    numbers all;
    std::set_intersection(own.begin(), own.end(), mask.begin(), mask.end(), std::back_inserter(all));
    result[k] = std::move(places_within(how, all.empty() ? mask : all, std::span(&pools[k].workers, 1)).front());
  }
  auto places = places_within(how, rest.empty() ? mask : rest, sharing);
  for (std::size_t k = 0, shared = 0; k < pools.size(); ++k)
    if (pools[k].cpus.empty()) result[k] = std::move(places[shared++]);
  return result;
}

void run_on(std::span<const unsigned> cpus) noexcept {
  if (cpus.empty()) return;
  const unsigned last = *std::max_element(cpus.begin(), cpus.end());
  cpu_set_t* set = CPU_ALLOC(last + 1);
  if (!set) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(last + 1);
  CPU_ZERO_S(bytes, set);
  for (const unsigned cpu : cpus) CPU_SET_S(cpu, bytes, set);
  sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

} // namespace treadle::detail
