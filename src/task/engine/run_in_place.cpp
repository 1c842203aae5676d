// A get() that runs the task it waits for, and what becomes of queue entries whose tasks were run so.
#include "task/counters/task_events.hpp"
#include "task/engine/scheduler.hpp"

#include <utility>

namespace treadle::detail {

constexpr std::uint32_t k_stale_between_looks = 16; // tasks that were run in place, with entries below live ones

/// Linked by next_job. Destructors of what the tasks hold may suspend.
static void discard(job* stale) noexcept {
  while (job* item = stale) {
    stale = item->next_job;
    item->discard_if_stale();
  }
}

job* worker::pop_live(worker*& here) {
  job* top = here->tasks.pop();
  while (here->m_stale != 0 && top && top->discard_if_stale()) {
    here = this_worker(); // the entry's value went with it, and its destructor may have suspended
    if (here->m_stale != 0) --here->m_stale;
    if (here->m_out_of_order != 0) --here->m_out_of_order;
    top = here->tasks.pop();
  }
  if (!top) here->m_stale = 0;
  return top;
}

void worker::run_in_place(future_state& task, sharing s) {
  if (TREADLE_UNLIKELY(makes_way())) return this_worker()->run_out_of_order(task, nullptr);
  if (TREADLE_UNLIKELY(m_stale != 0)) return run_among_stale(task, s);
  job* const top = tasks.pop();
  if (TREADLE_UNLIKELY(top != &task)) return run_out_of_order(task, top);
  counters.inlined.increment_unshared();
  task.run_taken(s);
}

void worker::run_among_stale(future_state& task, sharing s) {
  worker* here = this;
  job* const top = pop_live(here);
  if (top != &task) return here->run_out_of_order(task, top);
  here->counters.inlined.increment_unshared();
  task.run_taken(s);
  // What lies below may be what was got before; a program that never leaves this task would keep all of that.
  here = this_worker();
  if (job* next = pop_live(here)) here->push(*next);
}

void worker::run_out_of_order(future_state& task, job* top) {
  if (top) push(*top); // not tasks.push(): somebody may have looked meanwhile and gone to sleep
  if (task.is_pinned() || !task.run_unqueued()) return;
  worker* here = this_worker();
  here->counters.inlined.increment_unshared();
  if (here->ordered) {
    discard(here->ordered->take_stale()); // may suspend
    here = this_worker();
  } else {
    ++here->m_stale;
  }
  if (++here->m_out_of_order % k_stale_between_looks != 0) return;
  const auto queued = static_cast<std::uint64_t>(here->tasks.size()) + here->m_scheduler.injected.size();
  if (here->m_out_of_order > queued - queued / 8) here->drop_stale();
}

void worker::drop_stale() noexcept {
  m_stale = m_out_of_order = 0;
  job *stale = nullptr, *live = nullptr;
  std::int64_t left = 0;
  while (job* item = tasks.pop()) {
    const bool is_stale = item->is_stale();
    item->next_job = std::exchange(is_stale ? stale : live, item);
    left += !is_stale;
  }
  m_sweep_at = 2 * left + k_sweep_min; // so that looking at all is a constant for each
  while (job* item = live) {           // the oldest first, as they were
    live = item->next_job;
    tasks.push(item); // there is room
  }
  m_scheduler.injected.take_stale([&stale](job* list) {
    while (job* item = list) {
      list = item->next_job;
      item->next_job = std::exchange(stale, item);
    }
  });
  if (left > 0 || !m_scheduler.injected.empty())
    m_scheduler.notify_injected(); // somebody may have looked meanwhile and gone to sleep
  discard(stale);                  // from here on this is perhaps another worker
}

void worker::sweep_ordered() noexcept { discard(ordered->take_stale()); }

void worker::drop_stale_of_others(std::int64_t size) noexcept {
  std::uint64_t inlined = 0;
  for (const auto& w : m_scheduler.workers) inlined += w->counters.inlined.load(order::relaxed);
  if (inlined - std::exchange(m_inlined_before, inlined) >= static_cast<std::uint64_t>(size) / 2) return drop_stale();
  m_sweep_at = 2 * size; // most of it is live
}

} // namespace treadle::detail
