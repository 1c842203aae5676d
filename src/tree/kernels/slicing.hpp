// NumPy indexing of arrays, and indexing of lists, dicts and strings.
//
// One index per axis: an integer (negative counts from the end); list(i), the same; list(start, stop[, step]) with nil
// for defaults, clamped to the axis; nil or list(), all; an array of integers, a gather; an array of bool, a mask (of
// one axis or, rank > 1, of as many); "newaxis"; "...". Axes without an index are taken whole.
#pragma once

#include <treadle/arrays/value.hpp>

#include <span>

namespace treadle::tree {

// Reading with integers and ranges gives a view of an array, with arrays a copy. value_error when out of range.
value slice_value(const value& v, std::span<const value> indices);

// Writes x, broadcast to the selection and converted to the element type, into v: in place when nobody else sees its
// elements, else into a copy that v then is. A float written into an integer array is an error unless integral.
void assign_slice(value& v, std::span<const value> indices, const value& x);

// For tasks that write disjoint parts of one array at the same time: after own_elements(v), which makes it the only
// owner of its elements, assign_in_place() writes a part even while other tasks hold the array.
void own_elements(value& array);
// An operation in place, x += 1, converts only as far as NumPy does then, and does not broadcast its result. Of arrays
// leading axes of length 1 are left out where there are too many, of sequences not.
enum class conversion : std::uint8_t { assignment, sequence, in_place };
void assign_in_place(const value& array, std::span<const value> indices, const value& x,
                     conversion how = conversion::assignment);

// A list as an index: an array, which without items is one of integers.
value positions(const value& list);
// Whether an index makes a selection a copy: an array of positions, or a mask.
bool gathers(const value& index) noexcept;
// The index of a list, of which there is one, or of a dict, of which several are a tuple; value_error for text and
// lists.
value container_index(const value& container, std::span<const value> indices);
// Whether an index selects several items of a list.
bool is_list_slice(const value& index) noexcept;
// The position that an index counts from the end, or not; value_error when there is none.
std::size_t list_position(const value& list, const value& index);
// The result of an operation in place, as elements of the array that it replaces. value_error where NumPy has one.
array conform(const array& old, const value& result);

} // namespace treadle::tree
