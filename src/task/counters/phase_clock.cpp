#include "task/counters/phase_clock.hpp"

#include "base/clock.hpp"
#include "task/timing.hpp"

#include <algorithm>
#include <utility>

namespace treadle::detail {

void phase_clock::end_wait(job& item) noexcept {
  const std::int64_t now = ticks_now();
  m_waited = std::max<std::int64_t>(now - std::exchange(item.queued_at, 0), 0);
  if (m_is_critical) m_critical_began = now; // all that are critical have been stamped
  m_waited_before = m_counters.phases.load(order::relaxed);
  (m_is_critical ? m_counters.critical_pending_ticks : m_counters.pending_ticks)
      .increment_unshared(static_cast<std::uint64_t>(m_waited));
  (m_is_critical ? m_counters.critical_pending_waits : m_counters.pending_waits).increment_unshared();
}

void phase_clock::add_named_wait(const job& task) noexcept {
  const auto waited = static_cast<std::uint64_t>(m_waited);
  m_samples.found.of(task.name())
      .add(profile_field::pending_ticks, m_is_critical ? waited : k_queued_per_stamp * waited);
  m_waited_before = 0; // it has its name
}

void phase_clock::end_critical() noexcept {
  m_is_critical = false;
  if (m_critical_began == 0) return;
  const std::int64_t took = ticks_now() - std::exchange(m_critical_began, 0);
  m_counters.critical_phases.increment_unshared();
  m_counters.critical_ticks.increment_unshared(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)));
}

void phase_clock::cancel() noexcept {
  if (!m_in_phase) return;
  const std::uint64_t phases = m_counters.phases.load(order::relaxed);
  if (std::exchange(m_is_critical, false)) {
    m_critical_began = 0;
    m_counters.critical_pending_ticks.increment_unshared(0 - static_cast<std::uint64_t>(m_waited));
    m_counters.critical_pending_waits.increment_unshared(~std::uint64_t{0});
  } else if (m_waited_before == phases) {
    m_counters.pending_ticks.increment_unshared(0 - static_cast<std::uint64_t>(m_waited));
    m_counters.pending_waits.increment_unshared(~std::uint64_t{0});
  }
  m_waited_before = 0; // it is nobody's any more
  m_counters.phases.store(phases - 1, order::relaxed);
  m_sample_began = 0;
}

void phase_clock::begin_sample() noexcept {
  const std::int64_t now = ticks_now();
  m_sample_began = now;
  m_inlined_before = m_counters.inlined.load(order::relaxed);
  const std::uint64_t phases = m_counters.phases.load(order::relaxed);
  const std::uint64_t meant = phases - std::exchange(m_sampled_to, phases); // by this sample
  if (m_ended == 0) return; // it looked for work: that time counts elsewhere
  // A sample in which the system took the core away must not stand for others.
  const std::int64_t took = std::clamp<std::int64_t>(now - m_ended - stamp_ticks(), 0, 16 * m_management_ticks);
  m_management_ticks += (took - m_management_ticks) / 8;
  m_counters.management_ticks.increment_unshared(meant * static_cast<std::uint64_t>(took));
}

/// A phase of the sample has ended: the one before what is measured first, or the one that is measured then.
void phase_clock::continue_sample(task_stack& current) noexcept {
  const std::int64_t now = ticks_now();
  if (m_sample_began == 0) {
    m_ended = now;
    return;
  }
  const std::int64_t ns = std::max<std::int64_t>(ticks_to_ns(now - std::exchange(m_sample_began, 0)), 1);
  const std::int64_t every = std::clamp<std::int64_t>(timing::k_between_samples / ns, 1, 32);
  const int range =
      std::min(63 - __builtin_clzll(static_cast<std::uint64_t>(ns)), worker_counters::k_duration_ranges - 1);
  m_counters.durations[range].increment_unshared(static_cast<std::uint64_t>(std::exchange(m_sample_weight, every)));
  m_until_sample = every;
  const auto ran = 1 + m_counters.inlined.load(order::relaxed) - m_inlined_before;
  m_samples.expect(current, ns / static_cast<std::int64_t>(ran));
}

} // namespace treadle::detail
