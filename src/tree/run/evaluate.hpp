// From a node to its value by plain recursion, and the general entry.
#pragma once

#include "tree/nodes/node.hpp"

namespace treadle::tree {

// execute() of a node with its statistics, here and now.
value recurse(const node& n, frame& f, context& c);

// Replaces the value of async(e) by what it stands for; waits.
void settle(value& v, context& c);
// evaluate(), and that.
value evaluate_settled(const node& n, frame& f, context& c);

} // namespace treadle::tree
