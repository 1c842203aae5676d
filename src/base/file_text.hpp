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

/// All of it or nothing: to a file beside it, which then takes its name. Throws std::system_error that begins with
/// `what`.
void write_whole(const std::string& path, const std::string& text, const char* what);

} // namespace treadle::detail
