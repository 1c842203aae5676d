#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

#if defined(TREADLE_MODEL)
void cpu_relax(std::source_location at = std::source_location::current()) noexcept;
void cpu_relax_for(int pauses, std::source_location at = std::source_location::current()) noexcept;
#else
/// Tells the core that this is a busy-wait loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
/// The same, `pauses` times: some ten ns each.
inline void cpu_relax_for(int pauses) noexcept {
  for (; pauses > 0; --pauses) cpu_relax();
}
#endif

/// Between looks of a thread that looks for something again and again: some ten ns, and now and then the core goes to
/// another thread, because the one that is waited for may need this very core.
class patient_spin {
 public:
  void wait() noexcept {
    constexpr unsigned k_looks = 64; // some microseconds
    ++m_looks % k_looks == 0 ? yield_core() : cpu_relax();
  }

 private:
  static void yield_core() noexcept;

  unsigned m_looks = 0;
};

/// Lock for critical sections of a few instructions, never held across a suspension of its owner. Four bytes,
/// zero-initialised. Spins briefly, then yields the core, because the owner may be descheduled.
class spinlock {
 public:
  void lock() noexcept {
    if (TREADLE_UNLIKELY(m_held.exchange(1, order::acquire) != 0)) lock_slow(); // pairs with the store in unlock()
  }
  bool try_lock() noexcept { return m_held.exchange(1, order::acquire) == 0; }
  void unlock() noexcept { m_held.store(0, order::release); } // pairs with the exchange of the next owner

 private:
  void lock_slow() noexcept;

  atomic<std::uint32_t> m_held{0};
};

/// Scope guard for anything with lock() and unlock(); std::lock_guard without <mutex>.
template <class Lock>
class scoped_lock {
 public:
  explicit scoped_lock(Lock& lock) : m_lock(lock) { m_lock.lock(); }
  ~scoped_lock() { m_lock.unlock(); }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  Lock& m_lock;
};

/// The same, if it is free.
class scoped_try_lock {
 public:
  explicit scoped_try_lock(spinlock& lock) noexcept : m_lock(lock.try_lock() ? &lock : nullptr) {}
  ~scoped_try_lock() {
    if (m_lock) m_lock->unlock();
  }
  scoped_try_lock(const scoped_try_lock&) = delete;
  scoped_try_lock& operator=(const scoped_try_lock&) = delete;
  explicit operator bool() const noexcept { return m_lock != nullptr; }

 private:
  spinlock* m_lock;
};

} // namespace treadle::detail
