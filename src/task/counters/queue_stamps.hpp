#pragma once

#include "base/clock.hpp"
#include "base/rng.hpp"
#include "task/counters/task_samples.hpp"
#include "task/counters/worker_counters.hpp"

#include <utility>

namespace treadle::detail {

/// Which of the jobs that one worker queues get a time stamp, from which phase_clock knows how long they waited: one in
/// k_queued_per_stamp, by chance, because tasks come in turns. By that worker.
class queue_stamps {
 public:
  /// `all`: due() is true each time, and whether a job is stamped is up to how many there were.
  queue_stamps(std::uint64_t seed, bool all) noexcept : m_random(seed), m_all(all) {
    if (!all) m_until_stamp = m_gap = gap();
  }
  /// From the next job on.
  void set_all_due(bool all) noexcept {
    if (m_all == all) return;
    m_all = all;
    m_until_stamp = 1;
    m_stamped_at = 0;
  }

  /// Once for each job that is queued.
  [[nodiscard]] bool due() noexcept { return TREADLE_UNLIKELY(--m_until_stamp == 0); }
  /// For one that is due. `current`: the stack that the worker is on.
  void stamp(job& item, task_samples& samples, task_stack& current) noexcept {
    if (m_all) {
      m_until_stamp = 1;
      if (k_counts && is_stamped(++m_jobs)) item.queued_at = ticks_now();
      return;
    }
    if constexpr (k_counts) {
      item.queued_at = ticks_now();
      const std::int64_t before = std::exchange(m_stamped_at, item.queued_at);
      if (before != 0) samples.expect(current, ticks_to_ns(item.queued_at - before) / m_gap);
    }
    m_until_stamp = m_gap = gap();
  }

 private:
  std::uint32_t gap() noexcept { return 1 + m_random.below(2 * k_queued_per_stamp - 1); }

  xorshift m_random;
  bool m_all;
  std::uint32_t m_until_stamp = 1, m_gap = 1;
  std::int64_t m_stamped_at = 0; // in ticks
  std::uint64_t m_jobs = 0;      // where all are due
};

} // namespace treadle::detail
