#pragma once

#include "fiber/stack.hpp"

namespace treadle::detail {

// Stacks that were given back, for the next tasks: where thousands of them suspend again and again, the system calls
// and page faults of new stacks take longer than the tasks. Of the whole process. Any thread.

/// One of that size, without a mapping when there is none.
stack take_idle_stack(std::size_t mapping_bytes) noexcept;
/// False when there are enough. Where more of it was used than few tasks need, that goes back to the system
/// most of the time.
bool keep_idle_stack(stack s) noexcept;
/// Back to the system; false when there were none.
bool drop_idle_stacks() noexcept;

} // namespace treadle::detail
