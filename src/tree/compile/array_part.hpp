// Which part of an array an index selects, seen from a loop whose variable i is part of the index.
#pragma once

#include "tree/nodes/leaves.hpp"

#include <optional>
#include <span>

namespace treadle::tree {

// The indices i + begin to i + end of one axis, and perhaps not all of what the other axes have there.
struct array_part {
  std::size_t axis;
  std::int64_t begin, end;
};

// c where an expression is the variable i plus a constant c.
std::optional<std::int64_t> distance(const node& n, const variable_use& i);

// The part that indices from `first_axis` on select, when one of them is such an interval and those before it take one
// axis each.
std::optional<array_part> part_of(std::span<node* const> indices, std::size_t first_axis, const variable_use& i);

} // namespace treadle::tree
