#pragma once

#include "model/check/variable.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

namespace treadle::check {

/// Stands for treadle::detail::atomic in the model build: each operation is a step of the execution. Outside of
/// executions a plain value.
template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  using where = std::source_location;

 public:
  constexpr atomic() noexcept : atomic(T{}) {}
  constexpr explicit atomic(T initial) noexcept : m_initial(initial) {
    if (!std::is_constant_evaluated() && is_exploring()) m_variable.construct(word(initial));
  }
  constexpr ~atomic() {
    if (!std::is_constant_evaluated() && is_exploring()) m_variable.destroy();
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order o, where at = where::current()) const {
    return is_exploring() ? value(m_variable.load(word(m_initial), o, at)) : m_initial;
  }
  void store(T desired, order o, where at = where::current()) {
    if (is_exploring())
      m_variable.store(word(m_initial), word(desired), o, at);
    else
      m_initial = desired;
  }
  T exchange(T desired, order o, where at = where::current()) {
    return is_exploring() ? value(m_variable.exchange(word(m_initial), word(desired), o, at))
                          : std::exchange(m_initial, desired);
  }
  bool compare_exchange(T& expected, T desired, order success, order failure, where at = where::current()) {
    if (!is_exploring()) {
      const bool equal = m_initial == expected;
      (equal ? m_initial : expected) = equal ? desired : m_initial;
      return equal;
    }
    std::uint64_t found = word(expected);
    const bool done = m_variable.compare_exchange(word(m_initial), found, word(desired), success, failure, at);
    expected = value(found);
    return done;
  }
  T fetch_add(T by, order o, where at = where::current()) {
    return fetch([](T a, T b) { return static_cast<T>(a + b); }, by, o, at, "fetch_add");
  }
  T fetch_sub(T by, order o, where at = where::current()) {
    return fetch([](T a, T b) { return static_cast<T>(a - b); }, by, o, at, "fetch_sub");
  }
  T fetch_or(T by, order o, where at = where::current()) {
    return fetch([](T a, T b) { return static_cast<T>(a | b); }, by, o, at, "fetch_or");
  }
  T fetch_and(T by, order o, where at = where::current()) {
    return fetch([](T a, T b) { return static_cast<T>(a & b); }, by, o, at, "fetch_and");
  }
  void increment_unshared(T by = T{1}, where at = where::current()) {
    store(static_cast<T>(load(order::relaxed, at) + by), order::relaxed, at);
  }

  /// As futex(2).
  void wait(T expected, std::int64_t timeout_ns, where at) {
    m_variable.wait(word(m_initial), word(expected), timeout_ns, at);
  }
  void wake(int count, where at) { m_variable.wake(count, at); }

 private:
  static std::uint64_t word(T v) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    return bits;
  }
  static T value(std::uint64_t bits) noexcept {
    T v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }
  template <class Change>
  T fetch(Change change, T by, order o, const where& at, const char* name) {
    if (!is_exploring()) {
      const T before = m_initial;
      m_initial = change(before, by);
      return before;
    }
    const auto untyped = [](std::uint64_t a, std::uint64_t b) { return word(Change{}(value(a), value(b))); };
    return value(m_variable.fetch(word(m_initial), untyped, word(by), o, at, name));
  }

  mutable variable m_variable;
  T m_initial;
};

} // namespace treadle::check

namespace treadle::detail {
using check::atomic;
}
