#pragma once

#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/object.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace treadle {

namespace detail {

/// The count of a remote_latch, where that was made.
class latch_home final : public awaited_object {
 public:
  explicit latch_home(std::int64_t expected) : m_left(expected) {
    if (expected < 0) throw std::invalid_argument("remote_latch: a count of " + std::to_string(expected));
    if (expected == 0) m_over.set_value();
  }
  void count_down(std::int64_t by) {
    {
      const scoped_lock guard(m_lock);
      if (by < 0 || by > m_left)
        throw std::logic_error("remote_latch: counted down by " + std::to_string(by) + ", and " +
                               std::to_string(m_left) + " are left");
      m_left -= by;
      if (by == 0 || m_left != 0 || m_is_given_up) return;
    }
    m_over.set_value(); // what waits goes on here, without the lock
  }
  void give_up(const std::exception_ptr& why) noexcept override {
    {
      const scoped_lock guard(m_lock);
      if (m_left == 0 || std::exchange(m_is_given_up, true)) return;
    }
    m_over.set_exception(why);
  }
  shared_future<void> wait() const { return m_is_over; }

 private:
  spinlock m_lock;
  std::int64_t m_left;
  bool m_is_given_up = false;
  promise<void> m_over;
  const shared_future<void> m_is_over = m_over.get_future().share();
};

} // namespace detail

/// A count that goes down to zero once, for all localities; as treadle::latch. A value that may be sent to others, of
/// which all copies are one latch; it lives where it was made, as an object does (object.hpp). When a locality
/// dies, the count cannot be relied on any more: who waits gets that error. Any thread.
class remote_latch : public detail::reference_to_home<detail::latch_home> {
 public:
  using reference_to_home::reference_to_home;
  /// A new one, in this locality. Throws std::invalid_argument below zero.
  static remote_latch make(std::int64_t expected) {
    return remote_latch(remote<object>(std::make_shared<object>(expected)));
  }

  /// Does not wait for an answer. Counting below zero, or up, changes nothing, and is reported where the latch lives
  /// (set_exit_report).
  void count_down(std::int64_t by = 1) const { post<direct<&object::count_down>>(home(), by); }
  /// Ready when the count is zero.
  [[nodiscard]] future<void> wait() const { return async<direct<&object::wait>>(home()); }
  [[nodiscard]] future<void> arrive_and_wait(std::int64_t by = 1) const {
    count_down(by);
    return wait();
  }
};

} // namespace treadle
