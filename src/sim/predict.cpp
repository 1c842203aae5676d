#include "base/names.hpp"
#include "sim/simulator.hpp"

#include <algorithm>
#include <stdexcept>

namespace treadle::sim {
namespace {

constexpr std::size_t k_workers_most = 1 << 16;
constexpr std::string_view k_orders[] = {"natural", "fifo", "lifo", "random", "marked", "bottom-level", "learned"};

void check_sites(const graph& program, const schedule& how) {
  for (const std::string& mark : how.critical) {
    const auto& sites = program.sites();
    if (std::any_of(sites.begin(), sites.end(), [&](const std::string& s) { return s.find(mark) != s.npos; })) continue;
    std::string message = "no site of the program has '" + mark + "' in its name; there are";
    for (std::size_t i = 0; i < std::min<std::size_t>(sites.size(), 10); ++i)
      message += (i == 0 ? " " : ", ") + sites[i];
    throw std::invalid_argument(message + (sites.size() > 10 ? " and others" : ""));
  }
  if (how.which == order::marked && how.critical.empty())
    throw std::invalid_argument("the order 'marked' needs critical sites");
}

void check_machine(const graph& program, const machine& on) {
  if (on.shape.units.empty()) throw std::invalid_argument("the machine has no hardware threads");
  if (!(on.core_speed > 0) || !(on.smt_gain >= 0) || !(on.bandwidth_gbs >= 0))
    throw std::invalid_argument("the speed of cores is above 0, gain of hardware threads and bandwidth are not below");
  for (const graph::node& one : program.nodes())
    if (one.home >= static_cast<int>(on.shape.domains))
      throw std::invalid_argument("data of the program is in domain " + std::to_string(one.home) +
                                  ", the machine has " + std::to_string(on.shape.domains));
}

std::vector<pool> pools_of(const schedule& how, const machine& on) {
  if (how.pools.empty()) return {{.name = "default", .workers = static_cast<unsigned>(on.shape.units.size())}};
  std::size_t workers = 0;
  for (const pool& one : how.pools) {
    if (one.workers == 0) throw std::invalid_argument("pool '" + one.name + "' needs a number of workers here");
    workers += one.workers;
  }
  if (workers > k_workers_most)
    throw std::invalid_argument(std::to_string(workers) + " workers are more than " + std::to_string(k_workers_most));
  return how.pools;
}

} // namespace

std::string_view to_string(order which) noexcept { return k_orders[static_cast<std::size_t>(which)]; }
order order_from_name(std::string_view name) { return detail::enumerator_from_name<order>(k_orders, "order", name); }

prediction predict(const workload& program, const machine& on, const schedule& how, const cost_table& costs) {
  const graph& g = program.details();
  check_machine(g, on);
  check_sites(g, how);
  const std::vector<pool> pools = pools_of(how, on);
  std::vector<unsigned> sizes;
  for (const pool& one : pools) sizes.push_back(one.workers);
  const auto places = map_workers(on.shape, how.mapping, sizes);
  prediction found = simulator(g, on, how, pools, places, costs).run();
  std::vector<unsigned> all;
  for (const auto& one : places) all.insert(all.end(), one.begin(), one.end());
  const double capacity = processors(on, std::move(all)).capacity();
  // A thread outside runs at the recorded speed, whatever the machine's is.
  found.lower_bound_ns = std::max(g.work_ns / capacity, g.critical_path_ns / std::max(1.0, on.core_speed));
  return found;
}

} // namespace treadle::sim
