#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>
#include <memory>

namespace treadle::detail {

class worker;

/// Whom one worker has stolen from, and whether its steals pay. By that worker, but for from().
class steal_balance {
 public:
  /// Of at most `capacity` workers in the pool.
  explicit steal_balance(unsigned capacity) : m_from(std::make_unique<atomic<std::uint64_t>[]>(capacity)) {}

  /// How many tasks this worker has taken from another one. Any thread.
  const atomic<std::uint64_t>& from(unsigned other) const noexcept { return m_from[other]; }

  /// The worker has just taken a task from it.
  void note_victim(const worker& victim) noexcept;
  /// It has found that task by looking between these two times, in ticks.
  void note_time(std::int64_t began, std::int64_t now) noexcept;
  /// The worker has run out of what it stole last. In ns: how long it had better leave others alone, because for a
  /// while its steals have taken longer than the tasks; 0 for not at all. `suspensions`: of its tasks so far.
  std::int64_t settle(std::int64_t now, std::uint64_t suspensions) noexcept;
  /// The last ones did not pay.
  bool is_low() const noexcept;

 private:
  std::unique_ptr<atomic<std::uint64_t>[]> m_from; // by worker
  std::int64_t m_stole_at = 0;                     // in ticks; 0 when what was found last was not stolen
  std::int64_t m_steal_ticks = 256;                // what a steal costs the thief, on average
  std::int64_t m_lost_ticks = 0;                   // what the last steals cost more than they were worth
  std::uint64_t m_suspensions_before = 0;
  const worker* m_victim = nullptr; // the latest ...
  std::uint64_t m_victim_ran = 0;   // ... how many tasks it had run itself by then ...
  bool m_victim_waits = false;      // ... and whether it does nothing else than wait for what is taken from it
};

} // namespace treadle::detail
