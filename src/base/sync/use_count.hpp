#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::detail {

/// Counts the uses of something that may be taken away. Once that has been announced no use begins any more, and who
/// takes it away waits until nobody uses it.
///
/// A use is counted before it looks for the announcement, which is made before the count is looked at, all with
/// sequential consistency: so one of the two sees the other.
class use_count {
 public:
  /// `open`: it is there from the beginning.
  constexpr explicit use_count(bool open) noexcept : m_closed(!open) {}

  /// False when there is nothing to use. Otherwise it stays until leave(), and what open() published is seen.
  bool enter() noexcept {
    m_users.fetch_add(1, order::seq_cst);
    if (m_closed.load(order::seq_cst) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept { m_users.fetch_sub(1, order::release); } // pairs with is_used(): what the user did with it

  /// It is there from here on: a thread that enters sees what was done before.
  void open() noexcept { m_closed.store(0, order::release); }
  /// No use begins from here on, but some may go on.
  void close() noexcept { m_closed.store(1, order::seq_cst); }
  /// After close(): once this is false nobody uses it any more.
  bool is_used() const noexcept { return m_users.load(order::seq_cst) != 0; }
  /// In the child of a fork: how many of those that are counted exist there.
  void reset(std::uint32_t users) noexcept { m_users.store(users, order::relaxed); }

 private:
  atomic<std::uint32_t> m_users{0}, m_closed;
};

} // namespace treadle::detail
