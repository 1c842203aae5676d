// Who waits for results from other localities, by numbers that travel in parcels.
#pragma once

#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/action.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace treadle::detail {

/// A number is a place in a table and how many have had that place, so that a reply that comes twice, or that nobody
/// has asked for, finds nobody. Any thread.
class reply_table {
 public:
  /// Never 0.
  std::uint64_t add(std::unique_ptr<awaited_reply> who, unsigned from);
  /// Null: nobody waits for that number from there.
  std::unique_ptr<awaited_reply> take(std::uint64_t number, unsigned from) noexcept;
  std::unique_ptr<awaited_reply> take(std::uint64_t number) noexcept { return take(number, k_any); }
  /// Of the one who waits for that number from there, if anybody does.
  arriving_beginner beginner(std::uint64_t number, unsigned from) noexcept;
  /// All who wait. Nothing is taken any more by numbers that were given before.
  void fail_all(const std::exception_ptr& why) noexcept;

 private:
  static constexpr unsigned k_any = ~0U;
  struct entry {
    std::unique_ptr<awaited_reply> who;
    std::uint32_t generation = 1;
    unsigned from = 0;
  };
  /// With the lock. Null: nobody.
  entry* find(std::uint64_t number, unsigned from) noexcept;
  std::unique_ptr<awaited_reply> take(entry& one) noexcept;

  spinlock m_lock;
  std::vector<entry> m_entries;
  std::vector<std::uint32_t> m_free;
};

} // namespace treadle::detail
