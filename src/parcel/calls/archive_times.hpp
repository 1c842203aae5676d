// How long it takes to make archives of values and to read them (archive_timer): one in sixteen is measured.
#pragma once

#include <treadle/localities/action.hpp>

namespace treadle::detail {

/// So far, of this process.
double archive_time_ns(archive_use what) noexcept;

} // namespace treadle::detail
