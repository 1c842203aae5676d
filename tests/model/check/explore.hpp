#pragma once

#include "model/check/thread.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace treadle::check {

struct limits {
  unsigned preemptions = 2;            ///< of one execution of the depth-first search
  std::uint64_t depth_first = 150'000; ///< executions of it at most
  std::uint64_t random = 5'000;        ///< executions with random priorities, and as many random walks
};

struct result {
  std::uint64_t executions = 0;
  bool complete = false; ///< the depth-first search saw everything within its bound
  std::optional<std::string> failure;
  std::string report; ///< of the failure: what, every step of that execution, and how to replay it
};

/// Runs `program` many times, each time with other decisions about who runs and what is read, until an execution fails.
/// It starts as thread 0, may start others, and must do the same in every execution but for these decisions.
///
/// In the environment, TREADLE_MODEL_ITERATIONS is a factor on all numbers of executions, TREADLE_MODEL_PREEMPTIONS
/// replaces the number of preemptions, and TREADLE_MODEL_REPLAY, as printed with a failure, makes the exploration named
/// there run that one execution.
result explore(const char* name, const std::function<void()>& program, limits most = {});

} // namespace treadle::check
