#pragma once

#include <string>
#include <string_view>

namespace treadle::detail {

/// The text as a JSON string, with its quotes.
std::string json_string(std::string_view text);
/// The shortest number that reads back the same; null for what JSON has no number for.
std::string json_number(double value);

} // namespace treadle::detail
