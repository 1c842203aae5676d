#include "base/file_text.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <unistd.h>

namespace treadle::detail {

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
