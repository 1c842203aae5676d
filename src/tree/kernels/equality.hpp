// Python's equality of what is no plain number: of the items of sequences and dicts, and of these themselves.
#pragma once

#include "tree/nodes/primitive.hpp"

namespace treadle::tree {

// Whether two items are the same object or equal, which of arrays must be one truth value. value_error for two nan,
// because which object a number is gets lost, and for what is nested too deeply.
bool same_items(const call_context& context, const value& a, const value& b, int depth = 0);

// The same for two values that are not both numbers, and no arrays.
bool same_sequences(const call_context& context, const value& a, const value& b, int depth = 0);

// Whether both are lists, tuples or ranges.
bool are_alike(const value& a, const value& b) noexcept;

} // namespace treadle::tree
