#pragma once

#include <treadle/observe/profile.hpp>

namespace treadle::detail {

/// "1.5 us".
std::string readable_ns(std::int64_t ns);
std::string profile_csv(const std::vector<task_profile>& rows);
/// Throws std::invalid_argument when save_profile() knows no format for it, or its folder cannot be written to.
void check_profile_file(const std::string& file);

} // namespace treadle::detail
