#pragma once

namespace treadle::detail {

/// From now on a task that runs off the end of its stack is named on standard error before the process dies of it.
/// Faults of any other kind go to the one that handled them before. Not under sanitizers, which have their own report.
void report_stack_overflows() noexcept;

} // namespace treadle::detail
