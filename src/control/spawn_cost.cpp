#include "control/spawn_cost.hpp"

#include "base/clock.hpp"
#include "task/engine/present_workers.hpp"
#include "task/worker/worker.hpp"

#include <treadle/async.hpp>

#include <algorithm>

namespace treadle::detail {
namespace {

constinit atomic<std::uint32_t> g_measured_ns{0};

/// The best of some batches: nobody took a task, and nobody disturbed.
std::uint32_t measure() {
  constexpr int k_batches = 5, k_tasks = 32;
  std::int64_t least = INT64_MAX;
  for (int batch = 0; batch < k_batches; ++batch) {
    const std::int64_t start = ticks_now();
    for (int i = 0; i < k_tasks; ++i) async([] {}).get();
    least = std::min(least, ticks_now() - start);
  }
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ticks_to_ns(least) / k_tasks, 1, 10'000));
}

} // namespace

decide::spawn_cost present_spawn_cost() noexcept {
  decide::spawn_cost cost;
  std::uint32_t known = g_measured_ns.load(order::relaxed);
  if (known == 0 && this_worker()) {
    try {
      known = measure();
      g_measured_ns.store(known, order::relaxed);
    } catch (...) { // no memory: another time
    }
  }
  if (known != 0) cost.ns = known;
  cost.workers = present_workers();
  return cost;
}

} // namespace treadle::detail
