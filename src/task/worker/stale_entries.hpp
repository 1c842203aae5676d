#pragma once

#include <treadle/detail/job.hpp>

#include <cstdint>

namespace treadle::detail {

class worker;

/// Decides when to look for entries whose tasks were run in place, in the queue of one worker and in that which is
/// nobody's own, and drops them. By that worker.
///
/// With the last entry of a task goes what it holds, whose destructor may suspend: where this says so, the caller may
/// be on another worker afterwards.
class stale_entries {
 public:
  explicit stale_entries(worker& owner) noexcept : m_owner(owner) {}

  /// The newest entry may be one.
  bool may_be_on_top() const noexcept { return m_in_deque != 0; }
  /// Takes the newest entry that is none off the queue of `here`; null when there is none. May suspend, and says where
  /// the caller is.
  static job* pop_live(worker*& here);

  /// The caller, on `here`, has run a task in place that was not the newest entry, but may have been `in_deque`. May
  /// suspend.
  static void note_out_of_order(worker* here, bool in_deque) noexcept;
  /// The queue has grown to `size`: drops those of tasks that others have run in place, if it may be worth it. May
  /// suspend.
  void note_size(std::int64_t size) noexcept {
    if (is_large(size)) drop_if_many(size);
  }
  bool is_large(std::int64_t size) const noexcept { return size > m_drop_at; } ///< otherwise note_size() does nothing
  /// The same where the longest path goes first, and another queue has grown: others may run in place what this worker
  /// only makes. May suspend.
  TREADLE_NOINLINE void drop_ordered() noexcept;

 private:
  TREADLE_NOINLINE void drop_if_many(std::int64_t size) noexcept;
  /// All, wherever they are among those that this worker can take. May suspend.
  TREADLE_NOINLINE void drop() noexcept;

  static constexpr std::int64_t k_drop_min = 256;

  worker& m_owner;
  std::uint32_t m_in_deque = 0;        // about: of tasks run in place out of order
  std::uint32_t m_out_of_order = 0;    // the same, wherever the entries are, since they were last looked for everywhere
  std::int64_t m_drop_at = k_drop_min; // entries in the deque
  std::uint64_t m_inlined_before = 0;  // tasks that the pool had run in place when it was last that large
};

} // namespace treadle::detail
