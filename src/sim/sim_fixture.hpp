#pragma once

#include "sim/graph.hpp"
#include "sim/graphs/builder.hpp"

#include <gtest/gtest.h>

namespace treadle::sim::testing {

/// Cores of one hardware thread.
inline machine flat_machine(unsigned cores) {
  machine made;
  made.shape = topology::from_description("core:" + std::to_string(cores) + " pu:1");
  return made;
}
inline workload workload_of(builder b) { return workload(std::make_shared<const graph>(std::move(b).take(), "test")); }
/// One pool of this many workers.
inline schedule on_workers(unsigned workers, order which = order::natural,
                           scheduling policy = scheduling::work_stealing) {
  schedule made;
  made.pools = {{.name = "default", .workers = workers, .policy = policy}};
  made.which = which;
  return made;
}
inline prediction run(const workload& what, const schedule& how, const cost_table& costs = {}) {
  unsigned workers = 0;
  for (const pool& one : how.pools) workers += one.workers;
  return predict(what, flat_machine(workers), how, costs);
}

} // namespace treadle::sim::testing
