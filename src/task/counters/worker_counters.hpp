#pragma once

#include "observe/interval_sum.hpp"
#include "task/idle/drain.hpp"

#include <memory>
#include <utility>

namespace treadle::detail {

/// What is counted where a task becomes ready, which may be on any thread.
struct readiness_counts {
  atomic<std::uint64_t> direct{0};
  atomic<std::uint64_t> staged{0};
  atomic<std::uint64_t> staged_accesses{0};
  atomic<std::uint64_t> staged_misses{0};
  /// Of some tasks: the time from their creation until all inputs were there.
  atomic<std::uint64_t> staged_ticks{0};
  atomic<std::uint64_t> staged_waits{0};
  /// The same of all that are critical; the former are without them.
  atomic<std::uint64_t> critical_staged_ticks{0};
  atomic<std::uint64_t> critical_staged_waits{0};
  /// That are suspended. A sum: who counts the end need not be who has counted the beginning.
  atomic<std::uint64_t> coroutines{0};

  static constexpr atomic<std::uint64_t> readiness_counts::* k_all[] = {&readiness_counts::direct,
                                                                        &readiness_counts::staged,
                                                                        &readiness_counts::staged_accesses,
                                                                        &readiness_counts::staged_misses,
                                                                        &readiness_counts::staged_ticks,
                                                                        &readiness_counts::staged_waits,
                                                                        &readiness_counts::critical_staged_ticks,
                                                                        &readiness_counts::critical_staged_waits,
                                                                        &readiness_counts::coroutines};
  using member = atomic<std::uint64_t> readiness_counts::*;
  static constexpr std::pair<member, member> k_other{&readiness_counts::staged_ticks, &readiness_counts::staged_waits};
  static constexpr std::pair<member, member> k_critical{&readiness_counts::critical_staged_ticks,
                                                        &readiness_counts::critical_staged_waits};
  void subtract(const readiness_counts& other) noexcept {
    for (const auto one : k_all) (this->*one).increment_unshared(0 - (other.*one).load(order::relaxed));
  }
  void add(const readiness_counts& other) noexcept {
    for (const auto one : k_all) (this->*one).increment_unshared((other.*one).load(order::relaxed));
  }
};

/// The time that a task is queued is measured of one in k_queued_per_stamp, and of all that are critical.
inline constexpr std::uint32_t k_queued_per_stamp = 16;
/// About one number in k_queued_per_stamp, and of every arithmetic progression, too, because tasks come in turns: the
/// multiples of the golden ratio are spread evenly (Knuth, The Art of Computer Programming, vol. 3, 6.4).
constexpr bool is_stamped(std::uint64_t number) noexcept {
  return number * 0x9E3779B97F4A7C15u + UINT64_MAX / 2 <= UINT64_MAX / k_queued_per_stamp;
}

/// By all threads that are no workers, since the process was started.
extern readiness_counts counted_outside;

/// What one worker counts: written by it alone, read by anybody (src/task/counters/thread_counters.cpp).
///
/// Counts are exact. Times are exact where the worker is idle; that which it spends between the phases of tasks is
/// sampled, so that a time stamp is taken for one short phase in 32 only. docs/design/observation.md
struct alignas(k_cache_line) worker_counters : task_counts, readiness_counts {
  atomic<std::uint64_t> inlined{0};
  atomic<std::uint64_t> promoted{0};
  atomic<std::uint64_t> suspensions{0};
  atomic<std::uint64_t> resumptions{0};
  atomic<std::uint64_t> parks{0};
  atomic<std::uint64_t> phases{0};
  atomic<std::uint64_t> pending_accesses{0};
  atomic<std::uint64_t> pending_misses{0};
  atomic<std::uint64_t> steals_tried{0};

  interval_sum alive;
  interval_sum searching; // parked time included
  interval_sum parked;    // naps and rests included

  /// What it did between the phases of tasks, without looking for work; from samples.
  atomic<std::uint64_t> management_ticks{0};
  /// Of some tasks: the time from the queue to the start.
  atomic<std::uint64_t> pending_ticks{0};
  atomic<std::uint64_t> pending_waits{0};
  /// The same of all that are critical; the former are without them. From a queue to where they suspend or end.
  atomic<std::uint64_t> critical_pending_ticks{0};
  atomic<std::uint64_t> critical_pending_waits{0};
  atomic<std::uint64_t> critical_phases{0};
  atomic<std::uint64_t> critical_ticks{0};

  /// How much of their stacks suspended tasks occupied.
  atomic<std::uint64_t> suspended_bytes{0};
  atomic<std::uint64_t> suspended_bytes_max{0};

  static constexpr int k_duration_ranges = 40;
  /// Phases that took from 2^i ns to less than 2^(i + 1), from samples.
  atomic<std::uint64_t> durations[k_duration_ranges];
};

} // namespace treadle::detail
