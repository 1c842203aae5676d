#pragma once

#include <string>

namespace treadle::check {

/// Text of a line of a source file without its indentation; empty when the file is not there any more.
const std::string& source_line(const std::string& file, unsigned line);
/// The part of the path that says which file of the project it is.
std::string short_name(const std::string& file);

} // namespace treadle::check
