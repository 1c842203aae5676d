#pragma once

#include <string>
#include <string_view>

namespace treadle::detail {

std::string quote(std::string_view text); // a PhySL string literal
std::string format_double(double x);      // shortest text that reads back as x and is no integer; nan, inf, -inf

} // namespace treadle::detail
