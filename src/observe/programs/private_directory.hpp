#pragma once

#include <string>

namespace treadle::detail {

/// Makes the folder, for this user alone, where it is not there yet. Throws std::system_error that names it when it
/// cannot be made, is no folder but a link, belongs to somebody else, or is open to others.
void require_private_directory(const std::string& path);
/// Whether that would change nothing, and not throw.
bool is_private_directory(const std::string& path) noexcept;
/// The same for program_directory() and for the folder of pages in it, which is returned.
std::string require_page_directory();

} // namespace treadle::detail
