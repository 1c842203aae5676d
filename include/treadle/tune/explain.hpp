#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace treadle {

/// What the program has decided by itself, or by a session, in one context, and why: a record of the decision that was
/// made, not a guess at it.
struct decision_report {
  std::string kind;     ///< "inlining", "chunks", "grain", "splitting", "pools", "coalescing" or "session"
  std::string instance; ///< which one: a place in the code, a loop, a program, a session
  std::string name;     ///< the same in at most 80 bytes; the second of two instances of one name ends in " #2"
  std::string choices;  ///< all that could be chosen: "task, inline", "1 .. 65536"
  std::string context;  ///< "n = 1000, 2 workers"; what holds in another one is another report
  std::string chosen;   ///< "inline", "4096": what is in force
  std::string best;     ///< of what is known; another one while that is tried
  std::string why;      ///< "short: 80 ns, and a task costs 25 ns"
  bool present = false; ///< the program is in this context
  bool trying = false;  ///< what is chosen is tried at the moment

  /// Another choice, or the same, that was measured.
  struct alternative {
    std::uint64_t number; ///< of the choice
    std::string choice;
    double cost;      ///< of a unit of work: ns, or what a session is told; the geometric mean
    double deviation; ///< relative, of one window
    unsigned windows;
  };
  std::vector<alternative> measured; ///< in this epoch, cheapest first

  std::uint64_t windows = 0;
  bool converged = false;  ///< the search is done, and watches
  unsigned epoch = 0;      ///< how often the search began again
  double deciding_ns = 0;  ///< time spent to decide, in all contexts of the instance
  double exploring_ns = 0; ///< that tries took longer than the best would have
};

/// All decisions that the process has at the moment, by kind and instance. Any thread; takes microseconds for each.
std::vector<decision_report> explain();

/// The same for people: a table, also of the latest hundred that have ended. `--treadle:explain` prints it when a
/// runtime ends.
std::string explain_table();

} // namespace treadle
