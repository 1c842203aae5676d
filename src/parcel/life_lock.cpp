#include "parcel/life_lock.hpp"

#include "base/fork.hpp"

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

/// A lock lives as long as any descriptor of the opened file, so the child of a fork closes those it inherits. (Locks
/// that end with the process whatever others have open would not tell apart two objects of one process.)
class open_files final : fork_participant {
 public:
  open_files() noexcept { join_forks(); }

  int add(const std::string& path) {
    const std::lock_guard guard(m_mutex);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) throw std::system_error(errno, std::generic_category(), "memory of localities: " + path);
    m_all.insert(file);
    return file;
  }
  void remove(int file) noexcept {
    const std::lock_guard guard(m_mutex);
    if (m_all.erase(file) != 0) close(file);
  }

  bool try_lock() noexcept override { return m_mutex.try_lock(); }
  void unlock() noexcept override { m_mutex.unlock(); }
  void begin_child() noexcept override {
    for (const int file : m_all) close(file);
    m_all.clear();
  }

 private:
  yielding_mutex m_mutex;
  std::set<int> m_all;
};
open_files& the_open_files() {
  static auto* const all = new open_files;
  return *all;
}

struct flock lock_of(unsigned byte) noexcept {
  struct flock one{};
  one.l_type = F_WRLCK;
  one.l_whence = SEEK_SET;
  one.l_start = byte;
  one.l_len = 1;
  return one;
}

} // namespace

life_lock::life_lock(const std::string& path) : m_file(the_open_files().add(path)) {}
life_lock::~life_lock() { the_open_files().remove(m_file); }

void life_lock::hold(unsigned byte) const {
  struct flock one = lock_of(byte);
  if (fcntl(m_file, F_OFD_SETLK, &one) != 0)
    throw std::system_error(errno, std::generic_category(), "localities: number " + std::to_string(byte) + " is taken");
}
bool life_lock::is_held(unsigned byte) const noexcept {
  struct flock one = lock_of(byte);
  return fcntl(m_file, F_OFD_GETLK, &one) != 0 || one.l_type != F_UNLCK;
}

} // namespace treadle::detail
