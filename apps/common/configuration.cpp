#include "common/configuration.hpp"

#include <treadle/observe/machine.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace apps {

namespace {

constexpr const char* k_paper = ":policy=local-priority-fifo";

std::string of_the_runtime(pool_sizes) { return {}; }
std::string one_as_in_the_paper(pool_sizes sizes) { return "default:" + std::to_string(sizes.workers) + k_paper; }

std::string one_by_critical_path(pool_sizes sizes) {
  return "default:" + std::to_string(sizes.workers) + ":policy=critical-path";
}

/// The critical pool first: mappings go through pools in this order.
std::string two(pool_sizes sizes, const std::string& more) {
  return "critical:" + std::to_string(sizes.critical) + more +
         ",default:" + std::to_string(sizes.workers - sizes.critical) + more;
}
std::string two_as_in_the_paper(pool_sizes sizes) { return two(sizes, std::string(k_paper) + ":exclusive"); }
std::string two_exclusive(pool_sizes sizes) { return two(sizes, ":exclusive"); }
std::string two_lending(pool_sizes sizes) { return two(sizes, ""); }

std::string two_by_critical_path(pool_sizes sizes) {
  return sizes.workers == 1 ? one_by_critical_path(sizes) : two(sizes, ":policy=critical-path");
}

launcher unmarked(bool) { return launcher(); }
launcher marked_by_priority(bool marked) {
  return marked ? launcher(treadle::parallel_executor(treadle::priority::critical)) : launcher();
}
/// Both by name: a task that names no pool stays in that of the task which made it ready. The priority, which all tasks
/// of the pool have, changes no order: each of their waits is measured, of other tasks one in sixteen.
launcher marked_by_pool(bool marked) {
  return launcher(marked ? treadle::pool_executor("critical", treadle::priority::critical)
                         : treadle::pool_executor("default"));
}

/// Where the pools are one, for a while or because there is one worker, these are tasks like all others.
launcher sent_to_pool_if_any(bool marked) {
  try {
    const treadle::pool_executor critical("critical");
    return launcher(marked ? critical : treadle::pool_executor("default"));
  } catch (const std::invalid_argument&) {
    return launcher();
  }
}

constexpr configuration k_configurations[] = {
    {"default", "one work-stealing pool, nothing marked", false, of_the_runtime, "", unmarked},
    {"paper-default", "one pool, local-priority-fifo, packed", false, one_as_in_the_paper, "packed", unmarked},
    {"paper-pools", "marked tasks in an exclusive pool, both local-priority-fifo, packed", true, two_as_in_the_paper,
     "packed", marked_by_pool},
    {"paper-default-mtp", "paper-default, mapped by numa-balanced-mtp", false, one_as_in_the_paper, "numa-balanced-mtp",
     unmarked},
    {"paper-pools-mtp", "paper-pools, mapped by numa-balanced-mtp", true, two_as_in_the_paper, "numa-balanced-mtp",
     marked_by_pool},
    {"marked", "one work-stealing pool, marked tasks have priority::critical", false, of_the_runtime, "",
     marked_by_priority},
    {"strict", "marked tasks in an exclusive work-stealing pool", true, two_exclusive, "", marked_by_pool},
    {"lending", "marked tasks in a work-stealing pool; pools lend each other idle workers", true, two_lending, "",
     marked_by_pool},
    {"critical-path", "one pool, the task with the longest path behind it first, as it is learned; nothing marked",
     false, one_by_critical_path, "", unmarked},
    {"auto", "found while the program repeats: critical-path or not, in one pool or two, their sizes, the mapping",
     true, two_by_critical_path, "", sent_to_pool_if_any, true},
};

pool_sizes resolve(const configuration& how, pool_sizes sizes) {
  if (sizes.workers == 0) sizes.workers = std::max(treadle::describe_machine().usable_cores, 1U);
  const std::string name = how.name;
  if (!how.is_split && sizes.critical != 0)
    throw std::invalid_argument("configuration " + name + " has no pool 'critical', and so no workers for it");
  if (!how.is_split) return sizes;
  if (sizes.workers == 1 && how.is_tuned) return sizes;
  if (sizes.workers == 1)
    throw std::invalid_argument("configuration " + name + " has two pools and needs two workers, not 1");
  if (sizes.critical == 0) sizes.critical = sizes.workers / 2;
  if (sizes.critical >= sizes.workers) {
    throw std::invalid_argument("configuration " + name + ": the pool 'critical' cannot have " +
                                std::to_string(sizes.critical) + " of " + std::to_string(sizes.workers) +
                                " workers, because the pool 'default' needs one");
  }
  return sizes;
}

} // namespace

std::span<const configuration> configurations() noexcept { return k_configurations; }

const configuration& find_configuration(std::string_view name) {
  std::string names;
  for (const configuration& one : k_configurations) {
    if (name == one.name) return one;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw std::invalid_argument("no configuration '" + std::string(name) + "'; there are: " + names);
}

void apply(const configuration& how, pool_sizes sizes, treadle::runtime_options& options) {
  const std::string pools = how.pools(resolve(how, sizes));
  if (pools.empty()) {
    if (sizes.workers != 0) options.workers = sizes.workers;
  } else {
    if (!options.pools.empty())
      throw std::invalid_argument("configuration " + std::string(how.name) + " describes the pools itself: " + pools);
    options.pools = pools;
  }
  if (options.bind.empty()) options.bind = how.mapping;
}

std::optional<treadle::pool_tuner> tuner_of(const configuration& how, pool_sizes sizes, treadle::runtime& runs) {
  if (!how.is_tuned) return std::nullopt;
  if (sizes.critical == 0 && runs.max_concurrency() > 1) runs.resize_pool("critical", 0);
  auto wanted = treadle::pool_tuner::options::for_repetitions();
  wanted.name = how.name;
  if (runs.binding() == "none") wanted.bindings = {"compact", "scatter", "numa-balanced-mtp"};
  return std::optional<treadle::pool_tuner>(std::in_place, runs, wanted);
}

} // namespace apps
