// Parts of arrays that are spread over localities. docs/design/distributed-arrays.md
#pragma once

#include <treadle/arrays/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::tree {

// Where a part begins in the whole array, and how long it is, by axis.
struct tile {
  extents start, shape;

  std::int64_t stop(std::size_t axis) const noexcept { return start[axis] + shape[axis]; }
  friend bool operator==(const tile&, const tile&) = default;
};

// A tile of the array of that name; empty: it has none.
struct named_tile {
  std::string name;
  tile where;
  friend bool operator==(const named_tile&, const named_tile&) = default;
};

// What value::tile() says. Equal ones have one number, for as long as the process lives; value_error beyond a million.
std::uint32_t number_of(const named_tile& t);
const named_tile& tile_of_number(std::uint32_t number);

// Part `index` of `count`: "row" and "column" cut that axis into parts of equal length, the first ones longer by one
// where there is a rest; "sym" cuts a matrix into a grid as near to a square as `count` allows. value_error otherwise.
tile part_of(const extents& shape, std::int64_t index, std::int64_t count, std::string_view kind);

tile whole_of(const extents& shape);
// The shape of which these are all parts; value_error where they overlap, or leave a gap. `what`: the array.
extents joined_shape(std::span<const tile> parts, const std::string& what);
bool cover(std::span<const tile> parts, const extents& shape);

array joined(std::span<const array> parts, std::span<const tile> where, const extents& shape);
void put(array& whole, const tile& where, const array& part); // overwrites that part of it
array cut_out(const array& whole, const tile& part);

} // namespace treadle::tree
