#include "base/uninherited_file.hpp"

#include "base/fork.hpp"

#include <cerrno>
#include <mutex>
#include <set>

#include <unistd.h>

namespace treadle::detail {
namespace {

class open_files final : fork_participant {
 public:
  open_files() noexcept { join_forks(); }

  bool try_lock() noexcept override { return mutex.try_lock(); }
  void unlock() noexcept override { mutex.unlock(); }
  void begin_child() noexcept override {
    for (const int file : all) close(file);
    all.clear();
  }

  yielding_mutex mutex;
  std::set<int> all;
};
open_files& the_open_files() {
  static auto& files = *new open_files;
  return files;
}

} // namespace

void uninherited_file::begin() { the_open_files().mutex.lock(); }

void uninherited_file::end(int descriptor) {
  const int error = errno;
  {
    const std::lock_guard guard(the_open_files().mutex, std::adopt_lock);
    if (descriptor >= 0) the_open_files().all.insert(descriptor);
  }
  m_descriptor = descriptor;
  errno = error;
}

uninherited_file::~uninherited_file() {
  open_files& files = the_open_files();
  const std::lock_guard guard(files.mutex);
  if (files.all.erase(m_descriptor) != 0) close(m_descriptor);
}

} // namespace treadle::detail
