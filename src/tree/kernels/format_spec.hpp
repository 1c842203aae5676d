// How a value is written where a format asks for it: Python's format specifications.
#pragma once

#include <treadle/arrays/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace treadle::tree {

// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct format_spec {
  explicit format_spec(std::string_view text); // value_error when it is none

  std::string fill; // one code point; empty: none was given
  char align = 0, sign = 0, grouping = 0, type = 0;
  bool no_negative_zero = false, alternate = false;
  std::size_t width = 0;
  std::optional<int> precision;
};

// value_error when the value cannot be written that way.
std::string formatted(const value& v, std::string_view spec);

} // namespace treadle::tree
