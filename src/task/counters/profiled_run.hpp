#pragma once

#include <treadle/observe/profile.hpp>

#include <string>

namespace treadle::detail {

/// A profile from here to its end, which is written then. What goes wrong with that is said on stderr.
class profiled_run {
 public:
  /// Throws std::invalid_argument when the format of the file is unknown.
  explicit profiled_run(const std::string& file);
  ~profiled_run();
  profiled_run(const profiled_run&) = delete;
  profiled_run& operator=(const profiled_run&) = delete;

 private:
  const std::string m_file;
  const profile m_profile;
};

} // namespace treadle::detail
