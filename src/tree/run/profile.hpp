// Names of primitive instances, and the dumps that use them.
#pragma once

#include "tree/nodes/node.hpp"

#include <string>

namespace treadle::tree {

// /phylanx$<locality>/<primitive>$<sequence>[$<instance>]/<compile id>$<line>[$<column>]
std::string full_name(const node& n);
// <primitive>[/<instance>]/L#<locality>(<line>, <column>), without the leading underscores of operators
std::string display_name(const node& n);

} // namespace treadle::tree
