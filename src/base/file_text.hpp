#pragma once

#include <cstdint>
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

/// Throws std::invalid_argument that begins with `what` when the folder of the file cannot be written to.
void check_folder(const std::string& path, const char* what);
/// FILE.txt, or FILE.L1.txt in process 1 of a program of several; of what comes later in a process FILE.2.txt and so
/// on.
std::string own_file(const std::string& path, std::uint64_t run);
/// All of it or nothing: to a file beside it, which then takes its name. Throws std::system_error that begins with
/// `what`.
void write_whole(const std::string& path, const std::string& text, const char* what);

} // namespace treadle::detail
