#include "parcel/transport/life_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>

namespace treadle::detail {
namespace {

struct flock lock_of(unsigned byte) noexcept {
  struct flock one{};
  one.l_type = F_WRLCK;
  one.l_whence = SEEK_SET;
  one.l_start = byte;
  one.l_len = 1;
  return one;
}

} // namespace

life_lock::life_lock(const std::string& path)
    : m_file([&] { return open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW); }) {
  if (!m_file) throw std::system_error(errno, std::generic_category(), "memory of localities: " + path);
}

// Locks of the open file (OFD), because those of a process would not tell apart two objects of one process.
void life_lock::hold(unsigned byte) const {
  struct flock one = lock_of(byte);
  if (fcntl(m_file.get(), F_OFD_SETLK, &one) != 0)
    throw std::system_error(errno, std::generic_category(), "localities: number " + std::to_string(byte) + " is taken");
}
bool life_lock::is_held(unsigned byte) const noexcept {
  struct flock one = lock_of(byte);
  return fcntl(m_file.get(), F_OFD_GETLK, &one) != 0 || one.l_type != F_UNLCK;
}

} // namespace treadle::detail
