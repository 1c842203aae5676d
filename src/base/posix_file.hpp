#pragma once

#include <utility>

#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace treadle::detail {

/// Which file a name means at the moment.
class file_identity {
 public:
  file_identity() = default;
  explicit file_identity(const std::string& path) noexcept { m_is_there = lstat(path.c_str(), &m_found) == 0; }
  explicit file_identity(int descriptor) noexcept { m_is_there = fstat(descriptor, &m_found) == 0; }
  bool operator==(const file_identity& other) const noexcept {
    return m_is_there && other.m_is_there && m_found.st_dev == other.m_found.st_dev &&
           m_found.st_ino == other.m_found.st_ino;
  }

 private:
  struct stat m_found{};
  bool m_is_there = false;
};

/// A file descriptor that is closed with it; -1: none.
class posix_file {
 public:
  explicit posix_file(int descriptor = -1) noexcept : m_descriptor(descriptor) {}
  ~posix_file() {
    if (m_descriptor >= 0) close(m_descriptor);
  }
  posix_file(posix_file&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
  posix_file& operator=(posix_file&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
  }
  int get() const noexcept { return m_descriptor; }
  explicit operator bool() const noexcept { return m_descriptor >= 0; }

 private:
  int m_descriptor;
};

} // namespace treadle::detail
