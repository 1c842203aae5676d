#pragma once

#include "agent/settings.hpp"
#include "agent/sharing.hpp"

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace treadle::agent {

/// Writes down each decision with all that it was made from, one JSON object per line, so that it can be explained and
/// made again. When the file has 8 MB it becomes FILE.1, in place of the one before, and another one begins.
class decision_log {
 public:
  /// Throws std::system_error when the file cannot be written to.
  explicit decision_log(std::string file);

  void add(double time_s, const std::string& cause, const settings& s, const machine_view& machine,
           std::span<const program_view> programs, const nlohmann::json& state_before,
           const std::vector<share>& shares);

 private:
  static constexpr std::uint64_t k_bytes_max = 8 << 20;
  void open();

  const std::string m_file;
  std::ofstream m_out;
  std::uint64_t m_bytes = 0;
};

struct replayed {
  std::size_t decisions = 0, different = 0;
  std::string first_difference; ///< "line 7: …"
};
/// Makes all decisions of a log again. Throws std::system_error when it cannot be read, std::invalid_argument with the
/// line where it is no log.
replayed replay(const std::string& file);

} // namespace treadle::agent
