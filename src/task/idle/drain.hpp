#pragma once

#include "base/clock.hpp"
#include "base/sync/park.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>

namespace treadle::detail {

/// Queue entries that one worker has made and has finished; written by that worker, read by anybody.
struct task_counts {
  atomic<std::uint64_t> created{0};
  atomic<std::uint64_t> finished{0}; // those whose run() has returned

  void count_finished() noexcept {
    finished.store(finished.load(order::relaxed) + 1, order::release); // pairs with all_finished(): and what it created
  }
};

/// Whether every queue entry ever created had finished at some moment during the call. `created_outside` counts those
/// that foreign threads made.
///
/// Finished is read before created and both only grow, so equality means that at the moment between the two readings
/// everything created until then had finished.
template <class Workers>
bool all_finished(const atomic<std::uint64_t>& created_outside, const Workers& workers) noexcept {
  std::uint64_t finished = 0;
  for (const auto& w : workers) finished += w->counters.finished.load(order::acquire); // pairs with count_finished()
  std::uint64_t created = created_outside.load(order::relaxed);
  for (const auto& w : workers) created += w->counters.created.load(order::relaxed);
  return created == finished;
}

/// Threads that wait until all is finished, and the workers that tell them before they park. The words are relaxed: the
/// fences order them with the counts.
class drain {
 public:
  /// False when the time has passed, which k_never_ns never does.
  template <class Finished>
  bool wait_until(std::int64_t deadline_ns, const Finished& finished) {
    m_waiters.fetch_add(1, order::relaxed);
    bool is_finished = false;
    for (;;) {
      const std::uint32_t epoch = m_epoch.load(order::relaxed);
      heavy_fence(); // pairs with the one in idle_workers::sleep(): we see the last task finished, or it sees us
      is_finished = finished();
      if (is_finished) break;
      std::int64_t left_ns = k_forever_ns;
      if (deadline_ns != k_never_ns && (left_ns = deadline_ns - steady_now_ns()) <= 0) break;
      futex_wait(m_epoch, epoch, left_ns);
    }
    m_waiters.fetch_sub(1, order::relaxed);
    return is_finished;
  }

  /// By a worker that has announced itself as parked.
  template <class Finished>
  void check(const Finished& finished) noexcept {
    if (m_waiters.load(order::relaxed) == 0 || !finished()) return;
    m_epoch.fetch_add(1, order::relaxed);
    futex_wake(m_epoch, 1 << 30);
  }

 private:
  atomic<std::uint32_t> m_waiters{0};
  atomic<std::uint32_t> m_epoch{0};
};

} // namespace treadle::detail
