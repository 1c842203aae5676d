#pragma once

#include "task/counters/task_samples.hpp"
#include "task/counters/worker_counters.hpp"

namespace treadle::detail {

/// Counts the phases of one worker, and measures some of them and how long their tasks had been queued. By that worker.
///
/// A phase is what a worker executes of one task at a stretch: from its start, or where it was suspended, to where it
/// suspends or ends. Of a sample three times are taken: when one phase ends, when the next begins, and when that ends.
class phase_clock {
 public:
  phase_clock(worker_counters& counters, task_samples& samples) noexcept : m_counters(counters), m_samples(samples) {}

  /// True when this phase is a sample: begin_sample() is called as well, then.
  [[nodiscard]] bool begin(job& item) noexcept {
    if constexpr (!k_counts) return false;
    m_counters.phases.increment_unshared();
    m_in_phase = true;
    if (TREADLE_UNLIKELY(item.queued_at != 0)) end_wait(item);
    return TREADLE_UNLIKELY(m_until_sample <= 0);
  }
  void begin_sample() noexcept;
  /// On this stack. Nothing when no phase is open: its task was suspended.
  void end(task_stack& current) noexcept {
    if (!k_counts || !m_in_phase) return;
    m_in_phase = false;
    if (TREADLE_UNLIKELY(m_is_critical)) end_critical();
    if (TREADLE_UNLIKELY(--m_until_sample <= 0)) continue_sample(current);
  }
  /// What was taken from a queue was no task any more: it had been run in place. Also where no phase was begun for it.
  void cancel() noexcept;
  /// What was taken from a queue is this task, which is about to start: its wait has a name then.
  void name_wait(const job& task) noexcept {
    if (k_counts && TREADLE_UNLIKELY(m_waited_before == m_counters.phases.load(order::relaxed))) add_named_wait(task);
  }
  /// What was taken from a queue is critical: the next phase is measured.
  void next_is_critical() noexcept { m_is_critical = k_counts; }
  /// The time from here on is not spent between phases, but without work.
  void pause() noexcept { m_ended = 0; }

 private:
  void end_wait(job& item) noexcept;
  [[gnu::cold]] void add_named_wait(const job& task) noexcept;
  void end_critical() noexcept;
  void continue_sample(task_stack& current) noexcept;

  worker_counters& m_counters;
  task_samples& m_samples;
  std::int64_t m_until_sample = 1;       // phases
  std::int64_t m_sample_weight = 1;      // phases for which this sample stands
  std::int64_t m_ended = 0;              // the phase before the sample, in ticks; 0 when there was no work since
  std::int64_t m_sample_began = 0;       // in ticks; 0 when this phase is no sample
  std::uint64_t m_sampled_to = 0;        // phases
  std::uint64_t m_inlined_before = 0;    // tasks, when the sample began
  std::int64_t m_management_ticks = 100; // before a phase, on average
  std::int64_t m_critical_began = 0;     // in ticks
  std::int64_t m_waited = 0;             // in ticks, before the last phase for which it was measured ...
  std::uint64_t m_waited_before = 0;     // ... whose number is this
  bool m_in_phase = false;
  bool m_is_critical = false; // the phase
};

} // namespace treadle::detail
