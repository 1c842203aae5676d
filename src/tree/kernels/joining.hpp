// Arrays put together along an axis, and rows picked along one.
#pragma once

#include <treadle/arrays/value.hpp>

#include <vector>

namespace treadle::tree {

// One after the other along an axis; their other lengths must agree. In their common element type.
array join(const std::vector<array>& parts, std::size_t axis);

// The array whose i-th part along an axis is part from[i] of this one.
array gather_axis(const array& a, std::size_t axis, const std::vector<std::int64_t>& from);

} // namespace treadle::tree
