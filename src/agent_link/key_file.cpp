#include "agent_link/key_file.hpp"

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <sys/stat.h>

namespace treadle::detail {

std::vector<std::pair<std::string, std::string>> read_key_file(const std::string& file) {
  struct stat found;
  if (stat(file.c_str(), &found) != 0) throw std::system_error(errno, std::generic_category(), file);
  if ((found.st_mode & 077) != 0)
    throw std::system_error(std::make_error_code(std::errc::permission_denied),
                            file + " is open to others (chmod 600 mends that)");
  std::vector<std::pair<std::string, std::string>> keys;
  std::ifstream lines(file);
  for (std::string name, key; lines >> name >> key;) {
    if (key.size() != 40) throw std::invalid_argument(file + ": the key of '" + name + "' has not 40 characters");
    keys.emplace_back(name, key);
  }
  return keys;
}

} // namespace treadle::detail
