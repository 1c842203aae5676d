#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>

#include <cstdint>

namespace treadle::detail {

/// What use_count does, for uses by one thread of what a pointer points to: it costs that thread no read-modify-write.
/// The thread that takes the object away clears the pointer, passes a heavy fence, and waits until no flag is used.
class use_flag {
 public:
  /// What the pointer points to, which stays until leave(); null when there is nothing. leave() follows in both cases.
  template <class T>
  T* enter(const atomic<T*>& pointer) noexcept {
    m_is_used.store(1, order::relaxed);
    light_fence();                       // pairs with the heavy one: it sees the flag, or this sees the cleared pointer
    return pointer.load(order::acquire); // pairs with the store that has set it
  }
  void leave() noexcept { m_is_used.store(0, order::release); } // pairs with is_used(): what the user did with it
  bool is_used() const noexcept { return m_is_used.load(order::acquire) != 0; }

 private:
  atomic<std::uint32_t> m_is_used{0};
};

} // namespace treadle::detail
