#include "task/worker/stale_entries.hpp"

#include "task/engine/scheduler.hpp"

#include <utility>

namespace treadle::detail {

constexpr std::uint32_t k_between_looks = 16; // tasks that were run in place, with entries below live ones

/// Linked by next_job. May suspend.
static void discard(job* stale) noexcept {
  while (job* item = stale) {
    stale = item->next_job;
    item->discard_if_stale();
  }
}

job* stale_entries::pop_live(worker*& here) {
  job* top = here->tasks.pop();
  while (here->stale.m_in_deque != 0 && top && top->discard_if_stale()) {
    here = this_worker();
    stale_entries& now = here->stale;
    if (now.m_in_deque != 0) --now.m_in_deque;
    if (now.m_out_of_order != 0) --now.m_out_of_order;
    top = here->tasks.pop();
  }
  if (!top) here->stale.m_in_deque = 0;
  return top;
}

void stale_entries::note_out_of_order(worker* here, bool in_deque) noexcept {
  if (here->ordered) {
    discard(here->ordered->take_stale());
    here = this_worker();
  }
  if (in_deque) ++here->stale.m_in_deque;
  stale_entries& all = here->stale;
  if (++all.m_out_of_order % k_between_looks != 0) return;
  const auto queued = static_cast<std::uint64_t>(here->tasks.size()) + here->owner().injected.size();
  if (all.m_out_of_order > queued - queued / 8) all.drop();
}

void stale_entries::drop() noexcept {
  m_in_deque = m_out_of_order = 0;
  scheduler& pool = m_owner.owner();
  job *stale = nullptr, *live = nullptr;
  std::int64_t left = 0;
  while (job* item = m_owner.tasks.pop()) {
    const bool is_stale = item->is_stale();
    item->next_job = std::exchange(is_stale ? stale : live, item);
    left += !is_stale;
  }
  m_drop_at = 2 * left + k_drop_min; // so that looking at all is a constant for each
  while (job* item = live) {         // the oldest first, as they were
    live = item->next_job;
    m_owner.tasks.push(item); // there is room
  }
  pool.injected.take_stale([&stale](job* list) {
    while (job* item = list) {
      list = item->next_job;
      item->next_job = std::exchange(stale, item);
    }
  });
  if (left > 0 || !pool.injected.empty())
    pool.notify_injected(); // somebody may have looked meanwhile and gone to sleep
  discard(stale);
}

void stale_entries::drop_ordered() noexcept { discard(m_owner.ordered->take_stale()); }

void stale_entries::drop_if_many(std::int64_t size) noexcept {
  std::uint64_t inlined = 0;
  for (const auto& w : m_owner.owner().workers) inlined += w->counters.inlined.load(order::relaxed);
  if (inlined - std::exchange(m_inlined_before, inlined) >= static_cast<std::uint64_t>(size) / 2) return drop();
  m_drop_at = 2 * size; // most of it is live
}

} // namespace treadle::detail
