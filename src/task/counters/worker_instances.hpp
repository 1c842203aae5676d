#pragma once

#include "task/engine/scheduler.hpp"
#include "task/worker/worker.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace treadle::detail {

using pool_list = std::vector<std::unique_ptr<scheduler>>;

/// visit_current_pools() with a function object.
template <class Visit>
bool visit_pools(Visit&& visit) {
  using visitor = std::remove_reference_t<Visit>;
  return visit_current_pools([](void* v, const pool_list& pools) { (*static_cast<visitor*>(v))(pools); }, &visit);
}

/// The workers that an instance of a counter stands for: total, pool#P/total, pool#P/worker-thread#N, or
/// worker-thread#N, where N counts through all pools.
struct worker_instance {
  std::optional<std::string> pool;
  std::optional<unsigned> number; // of the worker

  static worker_instance parse(const std::string& text);
  /// Those of the runtime that the caller would use, the total first; none when there is no runtime.
  static std::vector<std::string> all();

  bool has(const scheduler& s) const { return !pool || *pool == s.name; }
  bool has(const scheduler& s, const worker& w) const {
    return has(s) && (!number || *number == (pool ? w.index() : w.number()));
  }
};

} // namespace treadle::detail
