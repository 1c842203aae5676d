#pragma once

#include "contention/lines.hpp"

#include <treadle/detail/order.hpp>

#include <source_location>
#include <type_traits>
#include <utility>

namespace treadle::check {

using detail::order;

/// Stands for treadle::detail::atomic in the simulation: sequentially consistent, and each operation takes as long as
/// its cache line takes to come. Outside of the simulation a plain value.
template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  using where = std::source_location;

 public:
  constexpr atomic() noexcept = default;
  constexpr explicit atomic(T value) noexcept : m_value(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order, where = where::current()) const {
    contention::read_line(this);
    return m_value;
  }
  void store(T desired, order, where = where::current()) {
    contention::write_line(this);
    m_value = desired;
  }
  T exchange(T desired, order, where = where::current()) {
    contention::change_line(this);
    return std::exchange(m_value, desired);
  }
  bool compare_exchange(T& expected, T desired, order, order, where = where::current()) {
    contention::change_line(this);
    const bool equal = m_value == expected;
    (equal ? m_value : expected) = equal ? desired : m_value;
    return equal;
  }
  T fetch_add(T by, order, where = where::current()) {
    contention::change_line(this);
    return std::exchange(m_value, static_cast<T>(m_value + by));
  }
  T fetch_sub(T by, order, where = where::current()) {
    contention::change_line(this);
    return std::exchange(m_value, static_cast<T>(m_value - by));
  }
  T fetch_or(T by, order, where = where::current()) {
    contention::change_line(this);
    return std::exchange(m_value, static_cast<T>(m_value | by));
  }
  T fetch_and(T by, order, where = where::current()) {
    contention::change_line(this);
    return std::exchange(m_value, static_cast<T>(m_value & by));
  }
  void increment_unshared(T by = T{1}, where = where::current()) {
    store(static_cast<T>(load(order::relaxed) + by), order::relaxed);
  }

  /// As futex(2).
  void wait(T expected, std::int64_t timeout_ns) {
    contention::read_line(this);
    if (m_value == expected) contention::sleep_on(this, timeout_ns);
  }
  void wake(int count) { contention::wake_from(this, count); }

 private:
  using order = detail::order;
  T m_value{};
};

} // namespace treadle::check

namespace treadle::detail {
using check::atomic;
}
