#pragma once

#include "base/fork.hpp"

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// One of several that could use something does, and the others do without. What a thread of a forked process's parent
/// had claimed is free.
class claim {
 public:
  /// True: release() follows.
  bool take() noexcept {
    const std::uint32_t mine = fork_generation() + 1;
    std::uint32_t before = m_generation.load(order::relaxed);
    // acquire: pairs with release(), for all that is used
    return before != mine && m_generation.compare_exchange(before, mine, order::acquire, order::relaxed);
  }
  void release() noexcept { m_generation.store(0, order::release); }

 private:
  atomic<std::uint32_t> m_generation{0}; // of who has it, and 1; 0: nobody
};

} // namespace treadle::detail
