#pragma once

#include <treadle/detail/order.hpp>

#if defined(TREADLE_MODEL)
#include "model/check/atomic.hpp" // the explorer's atomics: docs/design/model-checking.md
#include "model/check/cell.hpp"
#else

namespace treadle::detail {

#if defined(TREADLE_CHAOS)
void chaos_point() noexcept; // before every operation: tests/chaos
#else
inline constexpr void chaos_point() noexcept {}
#endif

/// std::atomic for lock-free scalars without its header: <atomic> costs 24 000 preprocessed lines in every file that
/// includes a public header. The one type through which the runtime shares memory, so the model build replaces it.
/// There is no default order: each use names the one it needs.
template <class T>
class atomic {
 public:
  constexpr atomic() noexcept = default;
  constexpr explicit atomic(T value) noexcept : m_value(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order o) const noexcept {
    chaos_point();
    T value; // the forms without _n take floating-point numbers, too
    __atomic_load(&m_value, &value, static_cast<int>(o));
    return value;
  }
  void store(T value, order o) noexcept {
    chaos_point();
    __atomic_store(&m_value, &value, static_cast<int>(o));
  }
  T exchange(T value, order o) noexcept {
    chaos_point();
    return __atomic_exchange_n(&m_value, value, static_cast<int>(o));
  }

  /// On failure `expected` holds the value found, loaded with the failure order.
  bool compare_exchange(T& expected, T desired, order success, order failure) noexcept {
    chaos_point();
    return __atomic_compare_exchange_n(&m_value, &expected, desired, false, static_cast<int>(success),
                                       static_cast<int>(failure));
  }
  T fetch_add(T value, order o) noexcept {
    chaos_point();
    return __atomic_fetch_add(&m_value, value, static_cast<int>(o));
  }
  T fetch_sub(T value, order o) noexcept {
    chaos_point();
    return __atomic_fetch_sub(&m_value, value, static_cast<int>(o));
  }
  T fetch_or(T value, order o) noexcept {
    chaos_point();
    return __atomic_fetch_or(&m_value, value, static_cast<int>(o));
  }
  T fetch_and(T value, order o) noexcept {
    chaos_point();
    return __atomic_fetch_and(&m_value, value, static_cast<int>(o));
  }

  /// fetch_min of C++26, without the result.
  void lower_to(T value, order o) noexcept {
    T known = load(order::relaxed);
    while (value < known && !compare_exchange(known, value, o, order::relaxed)) {
    }
  }

  /// Counter with one writer at a time and any number of readers: an increment without a locked instruction.
  void increment_unshared(T by = T{1}) noexcept {
#if defined(__x86_64__) && !defined(TREADLE_TSAN) && !defined(TREADLE_CHAOS)
    // One instruction, where compilers make three of atomic operations.
    if constexpr (sizeof(T) == 8 && requires(T v) { v % v; }) {
      asm("addq %1, %0" : "+m"(m_value) : "er"(by));
      return;
    }
#endif
    store(load(order::relaxed) + by, order::relaxed);
  }

  /// The raw word, for the system calls that wait on it.
  T* address() noexcept { return &m_value; }

 private:
  alignas(sizeof(T)) T m_value{};
};

/// A plain word of a lock-free structure, for which other operations provide the order; the model build checks that.
template <class T>
using plain = T;

} // namespace treadle::detail
#endif
