#pragma once

#include <utility>

#include <unistd.h>

namespace treadle::agent {

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

} // namespace treadle::agent
