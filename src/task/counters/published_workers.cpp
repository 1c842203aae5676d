#include "task/counters/published_workers.hpp"

#include "observe/programs/page.hpp"
#include "observe/programs/publisher.hpp"
#include "observe/programs/state_sources.hpp"
#include "task/engine/concurrency.hpp"
#include "task/engine/scheduler.hpp"
#include "task/engine/worker.hpp"

#include <algorithm>

namespace treadle::detail {
namespace {

std::uint64_t tasks_of(const readiness_counts& c) noexcept { return c.direct.load(order::relaxed); }

void add(const worker& w, program_state& to) noexcept {
  const worker_counters& c = w.counters;
  to.executed += c.finished.load(order::relaxed) + tasks_of(c);
  to.queued += static_cast<std::uint64_t>(std::max<std::int64_t>(w.tasks.size(), 0)) + w.placed_size();
  if (!c.alive.is_open()) return;
  if (w.lends())
    ++to.blocked;
  else if (!c.searching.is_open())
    ++to.active;
  else
    ++(c.parked.is_open() ? to.parked : to.searching);
}

void add(const std::vector<std::unique_ptr<scheduler>>& pools, program_state& to) noexcept {
  const concurrency& shared = pools.front()->active;
  to.workers += shared.maximum();
  to.granted += shared.present();
  for (const auto& pool : pools) {
    to.executed += tasks_of(pool->counted_elsewhere);
    to.queued += static_cast<std::uint64_t>(pool->injected.size());
    for (const auto& w : pool->workers) add(*w, to);
  }
}

void add_all(program_state& to) {
  to.executed += tasks_of(counted_outside);
  visit_all_pools([](void* into, const auto& pools) { add(pools, *static_cast<program_state*>(into)); }, &to);
}

} // namespace

namespace {

/// Each runtime gets its share, by the number of its workers. One that begins has all until the link shares out anew.
void govern_all(unsigned workers) {
  g_governed.store(workers, order::relaxed);
  std::vector<unsigned> most;
  visit_all_pools(
      [](void* to, const auto& pools) {
        static_cast<std::vector<unsigned>*>(to)->push_back(pools.front()->active.maximum());
      },
      &most);
  std::vector<unsigned> each =
      workers == k_not_governed ? std::vector(most.size(), k_not_governed) : shares(most, workers);
  std::reverse(each.begin(), each.end());
  visit_all_pools(
      [](void* from, const auto& pools) {
        auto& left = *static_cast<std::vector<unsigned>*>(from);
        if (left.empty()) return;
        pools.front()->active.govern(left.back());
        left.pop_back();
      },
      &each);
}

} // namespace

void publish_workers() noexcept {
  g_govern.store(govern_all, order::relaxed);
  g_add_workers.store(add_all, order::relaxed);
  begin_publishing();
}

} // namespace treadle::detail
