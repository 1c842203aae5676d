#pragma once

#include <treadle/detail/config.hpp>

namespace treadle::detail {

/// Memory orders, with the names and meanings of std::memory_order.
enum class order : int {
  relaxed = __ATOMIC_RELAXED,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  acq_rel = __ATOMIC_ACQ_REL,
  seq_cst = __ATOMIC_SEQ_CST
};

} // namespace treadle::detail
