// What the parts of a program depend on, and so which of them may run at the same time: found once, at compile time.
#pragma once

#include <cstdint>
#include <vector>

namespace treadle::tree {

struct compiled;

// The statements of a block in stages: those of one stage depend on none of the same or a later stage.
struct statement_stages {
  struct stage {
    std::vector<std::uint32_t> parts; // may be work, so they may become tasks
    std::vector<std::uint32_t> rest;
  };
  std::vector<stage> stages;
};

// Sets what the nodes of a linked program know about that, and the program's notes.
void find_parallelism(compiled& program);

} // namespace treadle::tree
