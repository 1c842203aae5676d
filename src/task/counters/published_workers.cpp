#include "task/counters/published_workers.hpp"

#include "observe/programs/page.hpp"
#include "observe/programs/publisher.hpp"
#include "observe/programs/state_sources.hpp"
#include "task/engine/concurrency.hpp"
#include "task/engine/scheduler.hpp"
#include "task/worker/worker.hpp"

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

/// Each runtime gets its share, by the number of its workers, and one at least, or its tasks would wait for ever. One
/// that begins meanwhile has all until the link shares out anew.
void govern_all(unsigned workers) {
  g_governed.store(workers, order::relaxed);
  struct shared {
    std::vector<const concurrency*> of;
    std::vector<unsigned> each;
  } all;
  visit_all_pools(
      [](void* to, const auto& pools) {
        auto& [of, each] = *static_cast<shared*>(to);
        of.push_back(&pools.front()->active);
        each.push_back(of.back()->maximum());
      },
      &all);
  if (workers == k_not_governed)
    all.each.assign(all.of.size(), k_not_governed);
  else if (workers != 0)
    all.each = shares(all.each, std::max(workers, static_cast<unsigned>(all.of.size())));
  else
    all.each.assign(all.of.size(), 0);
  visit_all_pools(
      [](void* from, const auto& pools) {
        const auto& [of, each] = *static_cast<const shared*>(from);
        concurrency& one = pools.front()->active;
        const auto at = std::find(of.begin(), of.end(), &one);
        if (at != of.end()) one.govern(each[static_cast<std::size_t>(at - of.begin())]);
      },
      &all);
}

} // namespace

void publish_workers() noexcept {
  g_govern.store(govern_all, order::relaxed);
  g_add_workers.store(add_all, order::relaxed);
  begin_publishing();
}

} // namespace treadle::detail
