#pragma once

#include <treadle/priority.hpp>

namespace treadle::detail {

class scheduler;

/// Where a task is queued.
struct placement {
  scheduler* pool = nullptr; ///< null: that of the caller, or the default one of the current runtime
  treadle::priority level = treadle::priority::normal;
  int worker = -1;    ///< with which it is queued, where the policy of the pool queues tasks with workers; -1: any
  float path_ns = -1; ///< its bottom level, where the policy of the pool goes by it; negative: as it was learned

  constexpr bool is_usual() const noexcept { return level == priority::normal && worker < 0 && path_ns < 0; }
};

} // namespace treadle::detail
