// Why instances run as they do, as text, from what the latest run that decided has recorded.
#pragma once

#include "tree/nodes/node.hpp"

#include <string>

namespace treadle::tree {

// "inlined: 19.1 us against 350 and 500 us". `search`: of the instance; null: there is none.
std::string why(const node_statistics& of, instance_search* search);

// Of a loop or block whose parts are independent: why they were not tasks, or that they may be.
std::string why_region(const node& region, std::span<const node_statistics> all, instance_search* searches);

} // namespace treadle::tree
