#pragma once

#include <string>

namespace treadle::detail {

/// A field of a line of comma-separated values, quoted where that is needed (RFC 4180).
std::string csv_field(const std::string& text);

} // namespace treadle::detail
