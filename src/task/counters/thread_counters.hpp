#pragma once

#include <cstdint>

namespace treadle::detail {

/// Makes the counters of runtimes known, /threads and /threadqueue among them. Called by every runtime; the first call
/// counts.
void publish_thread_counters();

/// How long the workers of the present runtime have been there without sleeping, all together.
struct awake_time {
  double ns = 0;
  std::uint64_t epoch = 0; ///< which runtime; 0: there is none
};
awake_time time_awake();

} // namespace treadle::detail
