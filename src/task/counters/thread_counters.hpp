#pragma once

namespace treadle::detail {

/// Makes the counters of runtimes known, /threads and /threadqueue among them. Called by every runtime; the first call
/// counts.
void publish_thread_counters();

} // namespace treadle::detail
