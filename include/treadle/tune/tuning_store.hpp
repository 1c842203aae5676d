#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

namespace loop {
class memory;
}

/// What was measured of one combination of values.
struct tuned_point {
  std::uint64_t at = 0;    ///< its number
  double mean = 0;         ///< of the natural logarithms of its costs
  double deviation = 0;    ///< of them
  unsigned windows = 0;    ///< that were measured
  std::string values = {}; ///< in words, "1024, 8"
};

/// Keeps what was found out, for later runs and other processes: a file of SQLite. For all decisions of the process,
/// remember_decisions() makes one; session::remember_in() is for single sessions.
///
/// The file is read when this is made, which takes some milliseconds, and written by a thread of its own, twice a
/// minute and by save(). What belongs to another program, by the name of its file (in Python by the path of the
/// script), another machine or another number of workers is kept apart. Processes may share a file, and may be killed
/// at any moment. A damaged one is set aside under another name, and a new one is begun; one of another version of
/// Treadle's format, or of something else, is left alone. Nothing here fails the program: where a file cannot be read
/// or written, message() says why, and decisions go on without it.
class tuning_store {
 public:
  /// $TREADLE_STORE; otherwise treadle/tuning-2.sqlite in $XDG_STATE_HOME or ~/.local/state. The number is that of the
  /// format.
  static std::string standard_path();

  explicit tuning_store(std::string path = standard_path());
  tuning_store(tuning_store&&) noexcept;
  tuning_store& operator=(tuning_store&&) noexcept;
  /// Saves.
  ~tuning_store();

  const std::string& path() const noexcept;
  /// The latest thing that went wrong; empty when nothing has.
  std::string message() const;
  /// Writes what is new, and waits for that: some milliseconds, or seconds while another process writes. Any thread.
  void save();

  loop::memory& of_decisions() noexcept; // for sessions

 private:
  struct contents;
  std::unique_ptr<contents> m_contents;
};

/// From now on all decisions of the process, those of places, loops, grains, programs and sessions, begin with what
/// earlier runs have found, after a check that it still holds, and leave what they find. The first call counts; so do
/// --treadle:remember[=FILE] and TREADLE_REMEMBER, when a runtime starts. Reads the file, and so takes some
/// milliseconds; it is written twice a minute and when a runtime ends. Any thread. Empty: the standard file.
void remember_decisions(const std::string& path = {});

} // namespace treadle
