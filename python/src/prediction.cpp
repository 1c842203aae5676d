// Simulated schedules for treadle.predict.
#include "prediction.hpp"

#include <treadle/sim/exchange.hpp>
#include <treadle/sim/prediction.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace treadle::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// `amount`: parcels, or bytes of `adaptive`.
coalescing coalescing_from(const std::string& how, std::int64_t wait_ns, std::int64_t amount) {
  if (how == "off") return {.how = coalescing_kind::off};
  if (how == "adaptive") return {.how = coalescing_kind::adaptive, .hold_ns = wait_ns, .bytes = amount};
  if (how != "paper") throw std::invalid_argument("expected off, paper or adaptive, not '" + how + "'");
  return {.how = coalescing_kind::paper, .parcels = static_cast<unsigned>(amount), .interval_ns = wait_ns};
}

nb::dict waits_of(const sim::waiting& w) {
  nb::dict d;
  d["tasks"] = w.tasks;
  d["staged_ns"] = w.staged_ns;
  d["pending_ns"] = w.pending_ns;
  return d;
}

nb::dict record_of(const sim::prediction& found) {
  nb::dict d;
  d["makespan_ns"] = found.makespan_ns;
  d["lower_bound_ns"] = found.lower_bound_ns;
  d["suspensions"] = found.suspensions;
  d["in_place"] = found.in_place;
  d["inlined"] = found.inlined;
  nb::list workers;
  for (const sim::prediction::worker& one : found.workers) {
    nb::dict w;
    w["pool"] = found.pools[one.pool];
    w["unit"] = one.unit;
    w["busy_ns"] = one.busy_ns;
    w["overhead_ns"] = one.overhead_ns;
    w["idle_ns"] = one.idle_ns;
    w["tasks"] = one.tasks;
    w["steals"] = one.steals;
    w["borrowed"] = one.borrowed;
    w["looks"] = one.looks;
    w["missed_looks"] = one.missed_looks;
    workers.append(w);
  }
  d["workers"] = workers;
  nb::dict pools;
  for (std::size_t p = 0; p < found.pools.size(); ++p) pools[nb::cast(found.pools[p])] = waits_of(found.pool_waits[p]);
  d["pools"] = pools;
  d["critical"] = waits_of(found.critical);
  d["others"] = waits_of(found.others);
  return d;
}

/// Pools in the syntax of runtimes; without one of all hardware threads. A policy that is given holds for all of them.
std::vector<pool> pools_from(const std::string& text, const std::string& policy, const topology& machine) {
  std::vector<pool> list{{.name = "default", .workers = static_cast<unsigned>(machine.units.size())}};
  if (!text.empty()) list = pools(text).list();
  refuse_own_threads(list);
  constexpr unsigned k_most = 4096; // as many as a runtime may have
  for (const pool& one : list)
    if (one.workers > k_most)
      throw std::invalid_argument("pool '" + one.name + "': expected at most " + std::to_string(k_most) + " workers");
  if (policy.empty()) return list;
  for (pool& one : list) one.policy = scheduling_from_name(policy);
  return list;
}

} // namespace

void refuse_own_threads(const std::vector<pool>& described) {
  for (const pool& one : described)
    if (!one.cpus.empty() || !one.domains.empty())
      throw std::invalid_argument("pool '" + one.name +
                                  "': cpus= and domains= are for runtimes; here the mapping says where its workers go");
}

topology read_machine(const std::string& machine, const std::string& distances) {
  topology read = machine.empty()             ? topology::of_this_process()
                  : machine.ends_with(".xml") ? topology::from_xml(machine)
                                              : topology::from_description(machine);
  return distances.empty() ? read : read.with_distances(distances);
}

void bind_prediction(nb::module_& m) {
  nb::class_<sim::workload>(m, "Workload")
      .def_static("from_file", &sim::workload::from_file, nb::call_guard<nb::gil_scoped_release>())
      .def_static(
          "generated", [](const std::string& text) { return sim::workload::generated(text); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("tasks", &sim::workload::tasks)
      .def("work_ns", &sim::workload::work_ns)
      .def("critical_path_ns", &sim::workload::critical_path_ns)
      .def("recorded_ns", &sim::workload::recorded_ns)
      .def("unknown", &sim::workload::unknown)
      .def("sites", &sim::workload::sites);
  m.def("orders", [] { return names_up_to(sim::order::learned); });
  m.def("is_generator", [](const std::string& text) { return sim::workload::is_description(text); });
  m.def(
      "predict",
      [](const sim::workload& program, const std::string& machine, const std::string& distances, double core_speed,
         double smt_gain, double bandwidth_gbs, std::int64_t cache_bytes, const std::string& pools,
         const std::string& policy, const std::vector<std::string>& critical, const std::string& order,
         const std::string& how, bool spawn_calls, const std::string& inlining, std::uint64_t seed,
         const std::string& costs) {
        const sim::machine on{read_machine(machine, distances), core_speed, smt_gain, bandwidth_gbs, cache_bytes};
        sim::schedule s;
        s.pools = pools_from(pools, policy, on.shape);
        s.critical = critical;
        s.which = sim::order_from_name(order);
        s.mapping = mapping_from_name(how);
        s.spawn_calls = spawn_calls;
        s.inlining = inlining;
        s.seed = seed;
        sim::prediction found;
        const sim::cost_table table = sim::costs_from_name(costs);
        {
          const nb::gil_scoped_release released;
          found = sim::predict(program, on, s, table);
        }
        return record_of(found);
      },
      "program"_a, "machine"_a, "distances"_a, "core_speed"_a, "smt_gain"_a, "bandwidth_gbs"_a, "cache_bytes"_a,
      "pools"_a, "policy"_a, "critical"_a, "order"_a, "mapping"_a, "spawn_calls"_a, "inlining"_a, "seed"_a, "costs"_a);
  m.def(
      "simulate_exchange",
      [](unsigned localities, unsigned partners, std::uint64_t requests, double work_ns, double latency_ns,
         double overhead_ns, double byte_ns, const std::string& how, std::int64_t wait_ns, std::int64_t amount) {
        const nb::gil_scoped_release released;
        const sim::exchange what{
            .localities = localities, .partners = partners, .requests = requests, .work_ns = work_ns};
        const sim::message_costs costs{.latency_ns = latency_ns, .overhead_ns = overhead_ns, .byte_ns = byte_ns};
        const sim::exchange_result found = sim::simulate(what, costs, coalescing_from(how, wait_ns, amount));
        return std::tuple(found.seconds, found.overhead, found.answer_ns, found.parcels, found.messages);
      },
      "localities"_a, "partners"_a, "requests"_a, "work_ns"_a, "latency_ns"_a, "overhead_ns"_a, "byte_ns"_a, "how"_a,
      "wait_ns"_a, "amount"_a);
  m.def("coalescing_choices", [] {
    std::vector<std::pair<std::int64_t, std::int64_t>> all; // hold in ns, bytes
    for (const coalescing& one : sim::choices({})) all.emplace_back(one.hold_ns, one.bytes);
    return all;
  });
}

} // namespace treadle::python
