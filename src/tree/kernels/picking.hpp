// Elements and rows of an array picked by one array of indices or truths, in one pass and without a list of offsets.
#pragma once

#include <treadle/arrays/value.hpp>

#include <optional>

namespace treadle::tree {

// How many true elements a contiguous array of bool has, and where, counted in elements.
std::int64_t count_trues(const array& mask);
array positions_of_trues(const array& mask);

// a[index] for the usual cases: contiguous arrays, an index array along the first axis or a mask of the same shape.
// Nothing for others, and where an index is out of range.
std::optional<array> pick(const array& a, const value& index);

} // namespace treadle::tree
