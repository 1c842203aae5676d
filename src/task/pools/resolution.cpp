#include "task/pools/resolution.hpp"

#include <treadle/topology.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace treadle::detail {

namespace {

using numbers = std::vector<unsigned>;

[[noreturn]] void refuse(const pool& one, const std::string& why) {
  throw std::invalid_argument("pool '" + one.name + "': " + why);
}

std::string text_of(const numbers& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    text += (text.empty() ? "" : "+") + std::to_string(cpus[i]);
    if (end - i > 1) text += "-" + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

numbers both(const numbers& a, const numbers& b) {
  numbers result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

numbers without(const numbers& a, const numbers& b) {
  numbers result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

void sort_once(numbers& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Adds the hardware threads of the domains, and refuses those that there are not.
void find_cpus(pool& one, const usable_threads& usable) {
  if (!one.domains.empty()) {
    const topology machine = topology::of_this_machine();
    for (const unsigned domain : one.domains) {
      if (domain >= machine.domains)
        refuse(one, "there is no NUMA domain " + std::to_string(domain) + ", the last is " +
                        std::to_string(machine.domains - 1));
      const std::size_t before = one.cpus.size();
      for (const processing_unit& unit : machine.units) {
        if (unit.domain == domain && std::binary_search(usable.cpus.begin(), usable.cpus.end(), unit.os_index))
          one.cpus.push_back(unit.os_index);
      }
      if (one.cpus.size() == before)
        refuse(one, "this process may use no hardware thread of NUMA domain " + std::to_string(domain));
    }
    one.domains.clear();
  }
  sort_once(one.cpus);
  if (const numbers others = without(one.cpus, usable.cpus); !others.empty())
    refuse(one, "this process may not use the hardware threads " + text_of(others) + ", only " + text_of(usable.cpus));
}

void refuse_sharing(const std::vector<resolved_pool>& all) {
  for (const auto& [one, one_counts] : all) {
    for (const auto& [other, other_counts] : all) {
      if (&one == &other || !one.exclusive) continue;
      if (const numbers shared = both(one.cpus, other.cpus); !shared.empty())
        refuse(one, "it is exclusive, but shares the hardware threads " + text_of(shared) + " with pool '" +
                        other.name + "'");
    }
  }
}

/// Those that were counted may not be more than they have been counted on.
void refuse_excess(const std::vector<resolved_pool>& all) {
  numbers counted_on;
  std::size_t counted = 0;
  std::string names;
  for (const auto& [one, counts_cores] : all) {
    if (!counts_cores || one.cpus.empty()) continue;
    counted += one.workers;
    counted_on.insert(counted_on.end(), one.cpus.begin(), one.cpus.end());
    names += (names.empty() ? "'" : ", '") + one.name + "'";
  }
  sort_once(counted_on);
  if (counted > counted_on.size())
    throw std::invalid_argument("pools " + names + " have " + std::to_string(counted) + " workers on " +
                                std::to_string(counted_on.size()) +
                                " hardware threads; give them numbers of workers, or runtime_options::oversubscribe");
}

} // namespace

bool counts_cores(const runtime_options& options) {
  const auto& list = options.pools.list();
  return options.workers == 0 && std::none_of(list.begin(), list.end(), [](const pool& one) {
           return one.name == "default" && one.workers != 0;
         });
}

std::vector<resolved_pool> resolve_pools(const runtime_options& options, const usable_threads& usable) {
  std::vector<resolved_pool> all;
  for (const pool& one : options.pools.list()) all.push_back({one, false});
  const auto is_default = [](const resolved_pool& one) { return one.described.name == "default"; };
  if (std::none_of(all.begin(), all.end(), is_default)) all.insert(all.begin(), {pool{.name = "default"}, false});
  numbers taken; // by pools that have some
  for (resolved_pool& one : all) {
    if (one.described.name == "default") {
      if (one.described.workers != 0 && options.workers != 0 && one.described.workers != options.workers)
        refuse(one.described, std::to_string(one.described.workers) + " workers are described, but " +
                                  std::to_string(options.workers) + " asked for");
      if (options.workers != 0) one.described.workers = options.workers;
    }
    find_cpus(one.described, usable);
    taken.insert(taken.end(), one.described.cpus.begin(), one.described.cpus.end());
    if (one.described.stack_bytes == 0) one.described.stack_bytes = options.stack_bytes;
  }
  refuse_sharing(all);
  sort_once(taken);
  const auto left = static_cast<unsigned>(without(usable.cpus, taken).size());
  for (auto& [one, counts_cores] : all) {
    if (left == 0 && one.cpus.empty() && !options.oversubscribe)
      refuse(one, "the other pools have all hardware threads; runtime_options::oversubscribe lets it share them");
    if (one.workers != 0) continue;
    counts_cores = one.cpus.empty() || !options.oversubscribe;
    if (!one.cpus.empty())
      one.workers = static_cast<unsigned>(one.cpus.size());
    else if (one.name == "default")
      one.workers = std::min(left == 0 ? static_cast<unsigned>(usable.cpus.size()) : left, usable.cores);
    else
      refuse(one, "expected a number of workers, or the hardware threads or domains that it has");
  }
  if (!options.oversubscribe) refuse_excess(all);
  return all;
}

} // namespace treadle::detail
