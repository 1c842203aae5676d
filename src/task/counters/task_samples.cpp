#include "task/counters/task_samples.hpp"

#include "base/clock.hpp"
#include "task/timing.hpp"
#include "task/worker/worker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treadle::detail {

namespace {
using timing::k_between_samples;
constexpr std::uint32_t k_mean_max = 1024; // tasks
} // namespace

/// Geometric: each task has the same chance, whenever this is called. So what is drawn may be forgotten at any time.
void task_samples::draw(task_stack& on) noexcept {
  std::uint32_t gap = 1;
  if (m_mean > 1) {
    const double chance = 1.0 / m_mean, uniform = (m_random.below(1U << 31U) + 0.5) / 0x1p31;
    gap += static_cast<std::uint32_t>(std::log(uniform) / std::log1p(-chance));
  }
  on.until_sample = gap;
  on.sample_weight = m_mean;
}

void task_samples::look(task_stack& on, std::int64_t now) noexcept {
  const std::int64_t ns = ticks_to_ns(now - std::exchange(m_last, now));
  if (ns < k_between_samples / 2)
    m_mean = std::min(2 * m_mean, k_mean_max);
  else if (ns > 2 * k_between_samples)
    m_mean = static_cast<std::uint32_t>(std::max<std::int64_t>(m_mean * k_between_samples / ns, 1));
  draw(on);
}

void task_samples::expect(task_stack& on, std::int64_t task_ns) noexcept {
  if (on.sample_weight * task_ns <= 4 * k_between_samples) return;
  m_mean = static_cast<std::uint32_t>(std::clamp<std::int64_t>(k_between_samples / task_ns, 1, m_mean));
  draw(on);
}

running_sample& running_sample::begin(task_stack& on, const job& task) noexcept {
  worker& by = *on.runner;
  m_weight = on.sample_weight;
  by.samples.look(on, ticks_now());
  m_by = &by;
  m_entry = &by.samples.found.of(task.name());
  m_suspended_before = on.suspended_ticks;
  ++on.samples;
  m_began = ticks_now();
  return *this;
}

void running_sample::end(task_stack& on, const running_task* outer) noexcept {
  const std::int64_t took =
      std::max<std::int64_t>(ticks_now() - m_began - stamp_ticks() - (on.suspended_ticks - m_suspended_before), 0);
  --on.samples;
  worker& by = *on.runner;
  const auto own = [&by](const running_sample& sample) -> profile_entry& {
    return sample.m_by == &by ? *sample.m_entry : by.samples.found.of(sample.m_entry->name());
  };
  const auto all_ticks = m_weight * static_cast<std::uint64_t>(took);
  profile_entry& mine = own(*this);
  mine.add(profile_field::tasks, m_weight);
  mine.add(profile_field::total_ticks, all_ticks);
  mine.add(profile_field::range_of(ticks_to_ns(took)), m_weight);
  if (!outer) return;
  // One that has ended has no name any more, but what it was entered under when it is measured, too.
  if (!outer->task->has_ended())
    by.samples.found.of(outer->task->name()).add(profile_field::inner_ticks, all_ticks);
  else if (outer->sample)
    own(*outer->sample).add(profile_field::inner_ticks, outer->sample->m_weight * all_ticks);
}

waits_outside& waits_outside::all() {
  static auto& all = *new waits_outside;
  return all;
}

void add_wait(const job& task, profile_field::number field, std::uint64_t ticks) noexcept {
  if (worker* const w = this_worker()) return w->samples.found.of(task.name()).add(field, ticks);
  waits_outside& outside = waits_outside::all();
  if (const scoped_try_lock held(outside.lock); held) outside.found.of(task.name()).add(field, ticks);
}

} // namespace treadle::detail
