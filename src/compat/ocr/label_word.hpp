#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>
#include <mutex>

namespace treadle::ocr {

/// What a label names: nothing, so that it is free; an object that somebody is about to make; or an object's own GUID.
class label_word {
 public:
  /// 0: there is none. acquire: pairs with complete(); the object is in order.
  std::uint64_t object() const noexcept {
    const std::uint64_t guid = m_word.load(detail::order::acquire);
    return guid == k_taken ? 0 : guid;
  }
  bool is_used() const noexcept { return m_word.load(detail::order::relaxed) != 0; }
  /// True for one caller, who completes or frees it then.
  bool take() noexcept {
    // seq_cst: who waits has counted itself before it looks, and sleeps when it finds the label used.
    if (m_word.load(detail::order::seq_cst) != 0) return false;
    std::uint64_t expected = 0;
    // acquire: pairs with free(); what the object before did has happened.
    return m_word.compare_exchange(expected, k_taken, detail::order::acquire, detail::order::relaxed);
  }
  void complete(std::uint64_t guid) noexcept { m_word.store(guid, detail::order::release); }
  void free() noexcept { m_word.store(0, detail::order::seq_cst); }

 private:
  static constexpr std::uint64_t k_taken = ~std::uint64_t{0}; // no GUID
  detail::atomic<std::uint64_t> m_word{0};
};

/// Those who wait for any label to become free. Who waits counts itself first and then looks at its label; who frees
/// one does that first and then looks at the count, so that one of both sees the other.
template <class Mutex, class Condition>
class label_waiters {
 public:
  /// Until it is the caller's, or `is_given_up()`; false then. Blocks.
  template <class F>
  bool take(label_word& wanted, F is_given_up) {
    m_count.fetch_add(1, detail::order::seq_cst);
    bool is_taken = false;
    {
      std::unique_lock guard(m_lock);
      m_changed.wait(guard, [&] { return (is_taken = wanted.take()) || is_given_up(); });
    }
    m_count.fetch_sub(1, detail::order::relaxed);
    return is_taken;
  }
  /// After a label was freed, or there is another reason to look again.
  void wake() {
    if (m_count.load(detail::order::seq_cst) == 0) return;
    const std::lock_guard guard(m_lock);
    m_changed.notify_all();
  }

 private:
  Mutex m_lock;
  Condition m_changed;
  detail::atomic<std::uint32_t> m_count{0};
};

} // namespace treadle::ocr
