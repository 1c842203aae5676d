#include "base/file_text.hpp"

#include "base/process_in_program.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

namespace treadle::detail {

void check_folder(const std::string& path, const char* what) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0)
    throw std::invalid_argument(std::string(what) + ": cannot write '" + path + "': " + std::strerror(errno));
}

std::string own_file(const std::string& path, std::uint64_t run) {
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return path; // "stderr"
  const int process = process_in_program();
  return path.substr(0, dot) + (process < 0 ? "" : ".L" + std::to_string(process)) +
         (run == 1 ? "" : '.' + std::to_string(run)) + path.substr(dot);
}

void write_whole(const std::string& path, const std::string& text, const char* what) {
  const std::string partial = path + '.' + std::to_string(getpid()) + ".partial";
  const auto fail = [&] {
    const int error = errno;
    std::remove(partial.c_str());
    throw std::system_error(error, std::generic_category(), std::string(what) + ": cannot write '" + path + "'");
  };
  std::FILE* out = std::fopen(partial.c_str(), "w");
  if (!out) fail();
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  const int error = errno;
  if (std::fclose(out) != 0 || !written || std::rename(partial.c_str(), path.c_str()) != 0) {
    if (!written) errno = error;
    fail();
  }
}

} // namespace treadle::detail
