#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Number of owners of an object that deletes itself with the last one. Starts with one.
class reference_count {
 public:
  void add(std::uint32_t n = 1) noexcept { m_count.fetch_add(n, order::relaxed); }
  /// The same by the only owner.
  void add_unshared() noexcept { m_count.increment_unshared(); }
  /// True when that was the last one and the caller must delete the object.
  bool drop() noexcept {
    // acq_rel: pairs with itself in the last drop, so that the deleting thread sees every use of the object.
    return m_count.load(order::acquire) == 1 || m_count.fetch_sub(1, order::acq_rel) == 1;
  }

  /// True when there is no other owner, and what former owners did has happened.
  bool is_one() const noexcept { return m_count.load(order::acquire) == 1; } // acquire: pairs with drop()
  /// True when there are two, and what former owners did has happened.
  bool is_two() const noexcept { return m_count.load(order::acquire) == 2; } // acquire: pairs with drop()
  /// drop() of one share by a caller who has another one that nobody else uses: never the last.
  void drop_unshared() noexcept {
    if (is_two())
      m_count.store(1, order::relaxed);
    else
      m_count.fetch_sub(1, order::relaxed); // the caller is an owner still, and that one's drop() orders
  }

 private:
  atomic<std::uint32_t> m_count{1};
};

} // namespace treadle::detail
