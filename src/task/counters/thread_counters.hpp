#pragma once

#include <cstdint>

namespace treadle::detail {

/// Makes the counters of runtimes known, /threads and /threadqueue among them. Called by every runtime; the first call
/// counts.
void publish_thread_counters();

/// Of all workers of the present runtime together.
struct worker_time {
  double ns = 0;
  std::uint64_t epoch = 0; ///< which runtime; 0: there is none
};
worker_time time_awake(); ///< they have been there without sleeping
worker_time time_executing();

} // namespace treadle::detail
