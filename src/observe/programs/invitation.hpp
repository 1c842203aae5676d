#pragma once

#include <string>

namespace treadle::detail {

/// Tells all programs of this user that there is an agent. Throws as running_programs().
void invite_programs();
/// Where their pages are. Does not look whether it is there.
std::string page_directory();

} // namespace treadle::detail
