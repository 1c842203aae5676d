#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Number of owners of an object that deletes itself with the last one. Starts with one.
class reference_count {
 public:
  void add() noexcept { m_count.fetch_add(1, order::relaxed); }
  /// True when that was the last one and the caller must delete the object.
  bool drop() noexcept {
    // acq_rel: pairs with itself in the last drop, so that the deleting thread sees every use of the object.
    return m_count.load(order::acquire) == 1 || m_count.fetch_sub(1, order::acq_rel) == 1;
  }

 private:
  atomic<std::uint32_t> m_count{1};
};

} // namespace treadle::detail
