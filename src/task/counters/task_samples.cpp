#include "task/counters/task_samples.hpp"

#include "base/clock.hpp"
#include "task/engine/worker.hpp"

#include <algorithm>
#include <utility>

namespace treadle::detail {

std::uint32_t task_samples::draw_gap(std::int64_t now) noexcept {
  constexpr std::int64_t k_pause_ns = 64'000; // a look costs some 150 ns
  constexpr std::uint32_t k_mean_max = 4096;
  const std::int64_t ns = ticks_to_ns(now - std::exchange(m_last, now));
  if (ns < k_pause_ns / 2)
    m_mean = std::min(2 * m_mean, k_mean_max);
  else if (ns > 2 * k_pause_ns) // long tasks: the next one is not to be missed
    m_mean = static_cast<std::uint32_t>(std::max<std::int64_t>(m_mean * k_pause_ns / ns, 1));
  return 1 + m_random.below(2 * m_mean - 1);
}

void running_sample::begin(task_stack& on, const job& task) noexcept {
  worker& by = *on.runner;
  m_stands_for = on.sample_gap;
  on.until_sample = on.sample_gap = by.samples.draw_gap(ticks_now());
  m_by = &by;
  m_entry = &by.samples.found.of(task.name());
  m_suspended_before = on.suspended_ticks;
  ++on.samples;
  m_began = ticks_now();
}

void running_sample::end(task_stack& on, const running_task* outer) noexcept {
  const std::int64_t took = ticks_now() - m_began - stamp_ticks() - (on.suspended_ticks - m_suspended_before);
  --on.samples;
  worker& by = *on.runner;
  profile_entry& mine = m_by == &by ? *m_entry : by.samples.found.of(m_entry->name());
  const auto all_ticks = m_stands_for * static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0));
  mine.add(profile_field::tasks, m_stands_for);
  mine.add(profile_field::total_ticks, all_ticks);
  mine.add(profile_field::range_of(ticks_to_ns(took)), m_stands_for);
  if (outer) by.samples.found.of(outer->task->name()).add(profile_field::inner_ticks, all_ticks);
}

waits_outside& waits_outside::all() noexcept {
  static auto& all = *new waits_outside;
  return all;
}

void add_wait(const job& task, profile_field::number field, std::uint64_t ticks) noexcept {
  if (worker* const w = this_worker()) return w->samples.found.of(task.name()).add(field, ticks);
  waits_outside& outside = waits_outside::all();
  if (const scoped_try_lock held(outside.lock); held) outside.found.of(task.name()).add(field, ticks);
}

} // namespace treadle::detail
