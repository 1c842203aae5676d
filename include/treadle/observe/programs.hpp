#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Says how far the program is: a number of its own that grows, such as the iterations done, with fractions where it
/// knows them. `stream` tells several such numbers of one program apart, "produced" and "consumed"; at most eight, of
/// at most 23 bytes, others are ignored. Read by `treadle top` and by agents; costs some 20 ns. Any thread.
void report_progress(double value, std::string_view stream = "") noexcept;

/// What a program that uses Treadle does at the moment, as it says itself.
struct program_report {
  struct progress {
    std::string stream;
    double value;
    std::int64_t age_ns; ///< since it was reported
  };
  struct decision {
    std::string kind, instance, chosen; ///< as decision_report has them, shortened
  };

  int pid = 0;
  std::string name;           ///< of the executable, or of the Python script; "stencil L1" in a program of several
  bool answers = false;       ///< otherwise it is stopped, or cannot run, and what follows is from `age_ns` ago
  std::int64_t age_ns = 0;    ///< of what follows
  std::int64_t runs_ns = 0;   ///< since it started its first runtime
  std::int64_t cpu_ns = 0;    ///< processor time of the process
  unsigned workers = 0;       ///< of all its runtimes
  unsigned granted = 0;       ///< of these may be active
  unsigned active = 0;        ///< execute tasks
  unsigned searching = 0;     ///< look for work
  unsigned parked = 0;        ///< sleep, because there is none or because they may not be active
  unsigned blocked = 0;       ///< are in a blocking_region
  std::uint64_t queued = 0;   ///< tasks that could run
  std::uint64_t executed = 0; ///< tasks
  std::vector<progress> streams;
  std::vector<decision> decisions; ///< in force, at most 32 of them
};

/// All programs of this user that use Treadle on this machine, by pid, this one too. Asks each of them for what it does
/// now and waits at most `patience_ms` for all answers together; programs that do not have a runtime for at least
/// 50 ms are left out, and those for which publishing is turned off (TREADLE_PUBLISH=0). Removes what programs have
/// left that were killed. Throws std::system_error that names the folder where it cannot be read or is not private.
std::vector<program_report> running_programs(unsigned patience_ms = 100);

/// The folder through which programs of this user find each other: TREADLE_DIR, otherwise treadle in XDG_RUNTIME_DIR,
/// otherwise /tmp/treadle-UID.
std::string program_directory();

namespace detail {
/// For interpreters, whose file does not tell programs apart: what looks for the program's name from now on finds this.
/// Empty: the name of the file again. Any thread.
void name_program(std::string name);
} // namespace detail

} // namespace treadle
