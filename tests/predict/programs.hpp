#pragma once

#include <functional>
#include <string>
#include <vector>

namespace predicted_programs {

/// What is predicted and measured. run() is called by a task, and ends when all is done.
struct program {
  std::string name;
  std::function<void()> run;
};

/// Of all kinds: fork-join by futures and by forks, dataflow, loops, random graphs, the applications, PhySL.
std::vector<program> all();

} // namespace predicted_programs
