// An agent and its programs in simulated time: the same decisions as treadle-agent makes.
#pragma once

#include "agent/simulation/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace treadle::agent {

struct simulated_run {
  struct program {
    double begins_s = 0, ends_s = 0, used_s = 0;
    std::vector<double> iteration_ends_s;
  };
  struct moment {
    double at_s;
    std::vector<unsigned> workers; ///< that each program may have active
    double queue;                  ///< items between the first producer and its consumer
  };
  double ends_s = 0;
  std::vector<program> programs;
  std::vector<moment> moments; ///< once a period, and of half a second without an agent
  unsigned most_threads = 0;   ///< that all programs together could have active
  /// Of the first producer: the most items between, and how far their number was from the target in the mean over time,
  /// from when it was first reached until the producer has less than that left to make.
  double longest_queue = 0, longest_queue_bytes = 0, mean_off = 0;
};

/// Throws std::runtime_error where nobody would go on any more: all workers of all programs are taken away.
simulated_run simulate(const scenario& s);

nlohmann::json to_json(const simulated_run& r);

} // namespace treadle::agent
