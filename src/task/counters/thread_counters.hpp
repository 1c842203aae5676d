#pragma once

namespace treadle::detail {

/// Makes the counters of runtimes known, /threads and /threadqueue among them. Called by every runtime; the first call
/// counts.
void publish_thread_counters();

/// How long the workers of the present runtime have been there without sleeping; 0 when there is none.
double awake_ns();

} // namespace treadle::detail
