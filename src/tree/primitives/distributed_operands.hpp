// Arrays that are spread over localities, as operands of primitives. docs/design/distributed-arrays.md
#pragma once

#include "tree/kernels/tiling.hpp"
#include "tree/nodes/primitive.hpp"

#include <treadle/detail/own_locality.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace treadle::tree {

inline unsigned own_locality() noexcept { return detail::own_number.load(detail::order::relaxed); }

// A distributed array, as this locality knows it; or one of which every locality has all.
struct operand {
  array own; // in the type of the whole
  bool is_spread = false;
  std::vector<named_tile> tiles; // of all localities in their order; of one that is not spread: none
  extents shape;                 // of the whole

  std::string title() const {
    return is_spread && !tiles[0].name.empty() ? repr(value(tiles[0].name)) : std::string("the array");
  }
  // What a locality has of it.
  tile where(std::size_t locality) const { return is_spread ? tiles[locality].where : whole_of(shape); }
  // The tile that a locality has sent; value_error where that is none.
  array received(std::size_t from, const value& sent) const {
    if (!sent.is_array() || sent.as_array().shape() != tiles[from].where.shape)
      throw value_error("a tile of " + title() + " has not the shape that was announced");
    return sent.as_array();
  }
  std::vector<tile> places() const {
    std::vector<tile> all;
    for (const auto& t : tiles) all.push_back(t.where);
    return all;
  }
  const tile& mine() const { return tiles[own_locality()].where; }
  bool is_cut_along(std::size_t axis) const {
    return std::any_of(tiles.begin(), tiles.end(), [&](const auto& t) { return t.where.shape[axis] != shape[axis]; });
  }
};

// All localities ask for the same operands, and learn the same about them.
std::vector<operand> examine(call_context& context, std::span<const value> args);
// Everything of it, everywhere.
array whole(call_context& context, const operand& x);
// What all localities have, summed in their order by that primitive. value_error for a tile.
array sum_over_all(call_context& context, const value& own, std::string_view add, bool is_tile = false);

// The array is that tile.
value tiled(array a, named_tile t);
value to_list(const extents& e);
// The tile of this locality, or that of (tile_index, numtiles), in the arguments from `first` on: tile_index, numtiles,
// name, tiling_type.
named_tile chosen(std::span<const value> args, std::size_t first, const extents& shape);

// Products (distributed_products.cpp):
value dot_d(call_context& context, std::span<value> args);
value cannon_product_d(call_context& context, std::span<value> args);

} // namespace treadle::tree
