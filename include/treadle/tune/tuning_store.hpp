#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

/// What was measured of one combination of values.
struct tuned_point {
  std::uint64_t at = 0;    ///< its number
  double mean = 0;         ///< of the natural logarithms of its costs
  double deviation = 0;    ///< of them
  unsigned windows = 0;    ///< that were measured
  std::string values = {}; ///< in words, "1024, 8"
};

/// Keeps what sessions have found out, for later runs and other processes: a file of SQLite.
///
/// Processes may share it, and may be killed at any moment. A file that is damaged, or was written by a later version,
/// is set aside under another name, and a new one is begun. Nothing here fails the program: where a file cannot be read
/// or written, message() says why, and sessions go on without it.
class tuning_store {
 public:
  /// What results belong to: they are not mixed between keys.
  struct key {
    std::string session;
    std::string knobs;   ///< with their domains
    std::string context; ///< of the input, as the session was told
    std::string machine; ///< and how many workers
  };
  struct summary {
    std::uint64_t windows = 0; ///< in all
    unsigned epoch = 0;        ///< how often the search began again
    bool converged = false;
  };

  /// $TREADLE_STORE; otherwise treadle/tuning.sqlite in $XDG_STATE_HOME or ~/.local/state.
  static std::string standard_path();

  explicit tuning_store(std::string path = standard_path());
  tuning_store(tuning_store&&) noexcept;
  tuning_store& operator=(tuning_store&&) noexcept;
  ~tuning_store();

  const std::string& path() const noexcept;
  /// The latest thing that went wrong; empty when nothing has.
  std::string message() const;

  /// From any thread; takes some milliseconds, or seconds while another process writes. Empty when there is nothing.
  std::vector<tuned_point> load(const key& of) const;
  /// Replaces what is there, all at once. False when that is not possible.
  bool save(const key& of, const summary& about, const std::vector<tuned_point>& points);

 private:
  struct file;
  std::unique_ptr<file> m_file;
};

} // namespace treadle
