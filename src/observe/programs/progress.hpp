#pragma once

#include "observe/programs/page.hpp"

namespace treadle::detail {

/// What report_progress() was told last, for each stream.
void read_progress(program_state::progress (&into)[k_streams]) noexcept;

} // namespace treadle::detail
