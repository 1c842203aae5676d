#include "observe/programs/private_directory.hpp"

#include "observe/programs/invitation.hpp"

#include <treadle/observe/programs.hpp>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace treadle {
namespace detail {

void require_private_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) throw std::system_error(errno, std::generic_category(), path);
  struct stat found;
  if (lstat(path.c_str(), &found) != 0) throw std::system_error(errno, std::generic_category(), path);
  const auto refuse = [&](std::errc code, const char* why) {
    throw std::system_error(std::make_error_code(code), path + " " + why);
  };
  if (!S_ISDIR(found.st_mode)) refuse(std::errc::not_a_directory, "is not a folder");
  if (found.st_uid != geteuid()) refuse(std::errc::permission_denied, "belongs to another user");
  if ((found.st_mode & 077) != 0) refuse(std::errc::permission_denied, "is open to others (chmod 700 mends that)");
}

bool is_private_directory(const std::string& path) noexcept {
  struct stat found;
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 077) == 0;
}

std::string page_directory() { return program_directory() + "/programs"; }

std::string require_page_directory() {
  const std::string pages = page_directory();
  require_private_directory(program_directory());
  require_private_directory(pages);
  return pages;
}

} // namespace detail

std::string program_directory() {
  if (const char* given = std::getenv("TREADLE_DIR"); given && *given) return given;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime && access(runtime, W_OK) == 0)
    return std::string(runtime) + "/treadle";
  return "/tmp/treadle-" + std::to_string(geteuid());
}

} // namespace treadle
