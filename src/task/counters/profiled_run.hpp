#pragma once

#include <treadle/observe/profile.hpp>

#include <string>

namespace treadle::detail {

/// A profile of the present runtime from here to its end, which is written then. What goes wrong with that is said on
/// stderr. The second one of a process writes FILE.2.csv, and so on.
class profiled_run {
 public:
  explicit profiled_run(const std::string& file);
  ~profiled_run();
  profiled_run(const profiled_run&) = delete;
  profiled_run& operator=(const profiled_run&) = delete;

 private:
  const std::string m_file;
  const std::uint64_t m_run; ///< which of this process
  const profile m_profile;
};

} // namespace treadle::detail
