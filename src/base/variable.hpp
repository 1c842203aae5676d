#pragma once

#include <cstdlib>
#include <string_view>

namespace treadle::detail {

/// Of the environment; empty where there is none. Valid until somebody changes it.
inline std::string_view variable(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

} // namespace treadle::detail
