#include "tree/primitives/distributed_operands.hpp"

#include "tree/run/services.hpp"

#include <utility>

namespace treadle::tree {

value tiled(array a, named_tile t) {
  value v(std::move(a));
  v.set_tile(number_of(t));
  return v;
}

value to_list(const extents& e) {
  std::vector<value> items;
  for (const auto n : e) items.push_back(n);
  return value::list(std::move(items));
}

namespace {

// nil: no tile.
value described(const value& v) {
  if (v.tile() == 0) return {};
  const auto& t = tile_of_number(v.tile());
  return value::list(
      {t.name, to_list(t.where.start), to_list(t.where.shape), static_cast<std::int64_t>(v.to_array().type())});
}

} // namespace

std::vector<operand> examine(call_context& context, std::span<const value> args) {
  std::vector<value> own;
  std::vector<operand> found(args.size());
  for (const value& v : args) own.push_back(described(v));
  const auto all = context.services->all_gather(context.self->name, value::list(own));
  for (std::size_t i = 0; i < args.size(); ++i) {
    operand& x = found[i];
    x.own = args[i].to_array();
    auto type = x.own.type();
    for (const value& of_one : all) {
      const value d = of_one.item(i);
      if (d.is_nil()) continue;
      type = std::max(type, static_cast<dtype>(d.item(3).to_int64()));
      x.tiles.push_back({std::string(d.item(0).to_string_view()), {to_extents(d.item(1)), to_extents(d.item(2))}});
    }
    if (args[i].tile() != 0 && tile_of_number(args[i].tile()).where.shape != x.own.shape())
      throw value_error("an array of shape " + to_string(x.own.shape()) + " is not the tile that it was");
    x.is_spread = !x.tiles.empty();
    x.shape = x.own.shape();
    if (!x.is_spread) continue;
    x.own = x.own.cast(type);
    if (x.tiles.size() != all.size())
      throw value_error(x.title() + " is a tile in some localities, and none in others");
    for (const auto& t : x.tiles)
      if (t.name != x.tiles[0].name)
        throw value_error("a tile of " + repr(value(x.tiles[0].name)) + " meets one of " + repr(value(t.name)));
    x.shape = joined_shape(x.places(), x.title());
  }
  return found;
}

array whole(call_context& context, const operand& x) {
  if (!x.is_spread) return x.own;
  std::vector<array> parts;
  for (const value& part : context.services->all_gather(context.self->name, x.own))
    parts.push_back(x.received(parts.size(), part));
  return joined(parts, x.places(), x.shape);
}

array sum_over_all(call_context& context, const value& own, std::string_view add, bool is_tile) {
  const auto all = context.services->all_gather(context.self->name, value::list({own, is_tile}));
  array sum = all[0].item(0).to_array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].item(1).to_bool())
      throw value_error(std::string(context.self->name) + "() takes what each locality has for itself, and this is a "
                                                          "tile of one array: all_gather_d() joins tiles");
    const array one = all[i].item(0).to_array();
    if (one.shape() != sum.shape())
      throw value_error(std::string(context.self->name) + "(): arrays of shapes " + to_string(sum.shape()) + " and " +
                        to_string(one.shape()) + " in different localities");
    if (i > 0) sum = call_primitive(add, context, {sum, one}).to_array();
  }
  return sum;
}

named_tile chosen(std::span<const value> args, std::size_t first, const extents& shape) {
  const auto number = [&](std::size_t i, unsigned otherwise) {
    const value& v = argument(args, i);
    return v.is_nil() ? static_cast<std::int64_t>(otherwise) : v.to_int64();
  };
  const auto text = [&](std::size_t i, std::string_view otherwise) {
    const value& v = argument(args, i);
    return std::string(v.is_nil() ? otherwise : v.to_string_view());
  };
  return {text(first + 2, ""), part_of(shape, number(first, own_locality()),
                                       number(first + 1, detail::number_of_localities.load(detail::order::relaxed)),
                                       text(first + 3, "row"))};
}

} // namespace treadle::tree
