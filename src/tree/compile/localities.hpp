// What a program may do with other localities. docs/design/distributed-arrays.md
#pragma once

#include "tree/compile/compiler.hpp"

#include <span>

namespace treadle::tree {

// Throws failure where a call is placed that needs what only this locality has, and where localities would exchange
// something in an order that depends on the schedule. `effects`: by index, with those of the operands.
void check_localities(compiled& program, std::span<const node_effects> effects);

} // namespace treadle::tree
