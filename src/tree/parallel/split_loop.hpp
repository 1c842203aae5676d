// Running the iterations of an independent loop in several tasks.
#pragma once

#include "tree/compile/independent_loop.hpp"

namespace treadle::tree {

// The turns of one execution of a loop, from where it stands.
class loop_turns {
 public:
  virtual value run(frame& f, context& c, std::uint64_t turn) const = 0; // the value of its body

 protected:
  ~loop_turns() = default;
};

// Runs `count` turns in parts and leaves in `f` and `last` what they would leave one after the other. False: not worth
// it, or not possible now; nothing was run. `body`: the instance whose measured work decides.
bool run_in_parts(const independent_loop& loop, const node& body, frame& f, context& c, std::uint64_t count,
                  const loop_turns& turns, value& last);

} // namespace treadle::tree
