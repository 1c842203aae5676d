#include "agent/folder.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

} // namespace

detail::posix_file lock_folder(const std::string& folder) {
  const std::string name = folder + "/agent.lock";
  detail::posix_file file(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) fail(name);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(file.get(), F_SETLK, &lock) == 0) return file;
  if (errno != EACCES && errno != EAGAIN) fail(name);
  std::string who;
  if (fcntl(file.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) who = ", process " + std::to_string(lock.l_pid);
  throw std::runtime_error(folder + " has an agent already" + who);
}

nlohmann::json read_json_file(const std::string& file) {
  std::ifstream in(file);
  if (!in && errno == ENOENT) return nullptr;
  if (!in) fail(file);
  try {
    return nlohmann::json::parse(in);
  } catch (const nlohmann::json::exception& e) {
    throw std::invalid_argument(file + ": " + e.what());
  }
}

void write_json_file(const std::string& file, const nlohmann::json& content) {
  const std::string unfinished = file + ".new";
  {
    std::ofstream out(unfinished, std::ios::trunc);
    out << content.dump(2) << '\n';
    out.close();
    if (!out) fail(unfinished);
  }
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) fail(file);
}

} // namespace treadle::agent
