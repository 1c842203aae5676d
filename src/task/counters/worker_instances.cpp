#include "task/counters/worker_instances.hpp"

#include "observe/counter_name.hpp"
#include "observe/other_localities.hpp"

#include <charconv>

namespace treadle::detail {

worker_instance worker_instance::parse(const std::string& text) {
  worker_instance result;
  if (text.empty()) return result;
  for (const counter_name::part& part : counter_name::parse("/x{" + text + "}/x").instance) {
    if (part.name == "pool") result.pool = part.index;
    if (part.name != "worker-thread") continue;
    unsigned n = 0;
    std::from_chars(part.index.data(), part.index.data() + part.index.size(), n);
    result.number = n;
  }
  return result;
}

std::vector<std::string> worker_instance::all() {
  std::vector<std::string> names;
  visit_pools([&](const pool_list& pools) {
    names.push_back(at_home("total"));
    for (const auto& pool : pools) {
      names.push_back(at_home("pool#" + pool->name + "/total"));
      for (const auto& w : pool->workers) {
        names.push_back(at_home("pool#" + pool->name + "/worker-thread#" + std::to_string(w->index())));
        names.push_back(at_home("worker-thread#" + std::to_string(w->number())));
      }
    }
  });
  return names;
}

} // namespace treadle::detail
