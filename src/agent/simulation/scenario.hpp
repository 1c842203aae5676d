// Programs that are to share a simulated machine, and who shares it out.
#pragma once

#include "agent/settings.hpp"
#include "agent/simulation/shared_cores.hpp"

#include <treadle/observe/agent.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace treadle::agent {

/// A program works in iterations. In each of them one thread does the work of `before_s`, then all take the tasks, then
/// one does that of `after_s`; the next iteration begins after that. Seconds of work are those of a thread that has a
/// core to itself.
struct simulated_program {
  std::string name;
  unsigned workers = 1;
  core_wish wish; ///< an iteration of a "producer" makes an item, one of a "consumer" waits for one and uses it up
  double start_s = 0;
  unsigned iterations = 1;
  unsigned tasks = 1; ///< of an iteration
  double task_s = 0, before_s = 0, after_s = 0;
  std::vector<double> cost = {1}; ///< what the tasks of an iteration cost, times task_s, one iteration after the other
  double rest_s = 0;              ///< a worker waits for so long after each task, without a core
  double sleep_s = 0;     ///< a worker without work looks again after so long; 0: it is woken when there is some
  double item_bytes = 0;  ///< between producer and consumer
  bool fractions = false; ///< it tells how much of an iteration is done, otherwise whole ones
  bool tells_total = false;
};

struct scenario {
  shared_machine machine;
  std::vector<simulated_program> programs; ///< in the order in which they come
  bool sequential = false;                 ///< each begins when the one before it has ended
  std::optional<settings> agent;           ///< none: all have all their workers, all the time
  bool on_events = true;                   ///< the agent decides when something happens, too, as treadle-agent does
  double noise = 0;                        ///< a task costs up to this share more or less,
  double iteration_noise = 0;              ///< and all tasks of an iteration besides
  std::uint64_t seed = 1;
};

/// Throws std::invalid_argument that names what is wrong, and where.
scenario scenario_from_json(const nlohmann::json& object);

} // namespace treadle::agent
