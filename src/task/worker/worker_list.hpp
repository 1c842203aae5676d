#pragma once

#include <treadle/detail/atomic.hpp>

#include <memory>
#include <utility>

namespace treadle::detail {

class worker;

/// The workers of a pool, up to a number that is fixed; they stay until all go. Some may be added while others look.
class worker_list {
 public:
  using item = std::unique_ptr<worker>;

  explicit worker_list(unsigned capacity) : m_all(std::make_unique<item[]>(capacity)) {}

  const item* begin() const noexcept { return m_all.get(); }
  const item* end() const noexcept { return m_all.get() + size(); }
  unsigned size() const noexcept { return m_size.load(order::acquire); } // pairs with add()
  worker& operator[](unsigned i) const noexcept { return *m_all[i]; }

  void clear() noexcept {
    const unsigned n = m_size.load(order::relaxed);
    m_size.store(0, order::relaxed);
    for (unsigned i = 0; i < n; ++i) m_all[i].reset();
  }
  /// One thread at a time, as clear(), when nobody looks any more.
  worker& add(item one) noexcept {
    const unsigned at = m_size.load(order::relaxed);
    m_all[at] = std::move(one);
    m_size.store(at + 1, order::release);
    return *m_all[at];
  }

 private:
  std::unique_ptr<item[]> m_all;
  atomic<unsigned> m_size{0};
};

} // namespace treadle::detail
