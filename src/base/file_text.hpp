#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace treadle::detail {

/// What is in it; empty where it cannot be read.
inline std::string file_text(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace treadle::detail
