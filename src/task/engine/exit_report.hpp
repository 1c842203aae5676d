#pragma once

#include <string>

namespace treadle::detail {

/// Tells the one that has asked for it by set_exit_report(), else stderr.
void report_at_exit(const std::string& message) noexcept;

} // namespace treadle::detail
