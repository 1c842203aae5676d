#pragma once

namespace treadle::detail {

/// Makes the counters of the process known, /runtime/memory among them. Once.
void publish_process_counters();

} // namespace treadle::detail
