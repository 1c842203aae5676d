#include "base/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace treadle::detail {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += escape;
    } else {
      result += c;
    }
  }
  return result += '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

} // namespace treadle::detail
