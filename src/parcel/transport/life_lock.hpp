// Which processes are alive: each holds a lock on a byte of a file that all know.
#pragma once

#include "base/uninherited_file.hpp"

#include <string>

namespace treadle::detail {

/// Any thread.
class life_lock {
 public:
  /// Throws std::system_error that names the file.
  explicit life_lock(const std::string& path);

  /// Held until the end of this object, or of this process, however that comes: also where a child made by fork()
  /// lives on. Throws std::system_error where another one has it.
  void hold(unsigned byte) const;
  /// By another object; true where the system does not tell.
  bool is_held(unsigned byte) const noexcept;

 private:
  const uninherited_file m_file;
};

} // namespace treadle::detail
