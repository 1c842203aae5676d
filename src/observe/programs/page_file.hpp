#pragma once

#include "observe/programs/page.hpp"

#include <string>
#include <utility>

namespace treadle::detail {

/// A page that is mapped: PID in the folder `programs` of program_directory(). While its program lives, it has locked
/// the file; the lock goes with the process, also when that executes another program, and is not inherited by a child.
class page_file {
 public:
  page_file() noexcept = default;
  page_file(page_file&& other) noexcept { swap(other); }
  page_file& operator=(page_file&& other) noexcept {
    swap(other);
    return *this;
  }
  ~page_file(); ///< the process that made it removes the file

  /// Of this process. Throws std::system_error.
  static page_file create(const std::string& folder, const std::string& program);
  /// One of another process. None where it is not there any more, is of another version, or is cut short; one whose
  /// program has ended without removing it is removed. Not for that of this process: its lock would be lost.
  static page_file open(const std::string& path) noexcept;

  program_page* operator->() const noexcept { return m_page; }
  program_page& operator*() const noexcept { return *m_page; }
  explicit operator bool() const noexcept { return m_page != nullptr; }

  void leave_to_parent() noexcept { m_path.clear(); } ///< in the child of a fork

 private:
  void swap(page_file& other) noexcept {
    std::swap(m_page, other.m_page);
    std::swap(m_path, other.m_path);
    std::swap(m_file, other.m_file);
  }

  program_page* m_page = nullptr;
  std::string m_path; // empty: it is another's
  int m_file = -1;
};

} // namespace treadle::detail
