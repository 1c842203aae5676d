#pragma once

#include "observe/programs/page.hpp"

namespace treadle::detail {

/// From now on the program can be looked at, by a thread that writes its page when it is asked. Does nothing the second
/// time, when TREADLE_PUBLISH is 0, or where there is no thread or folder to be had. What it costs a program that ends
/// within 50 ms is the thread.
void begin_publishing() noexcept;

/// Others can look at this process.
bool is_published() noexcept;
/// Its state, now; and only what its workers do, without progress and decisions.
program_state present_state() noexcept;
program_state present_work() noexcept;

} // namespace treadle::detail
