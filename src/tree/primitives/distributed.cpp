// Arrays that are spread over localities, one tile in each. docs/design/distributed-arrays.md
#include "tree/kernels/tiling.hpp"
#include "tree/nodes/primitive.hpp"
#include "tree/run/services.hpp"

#include <treadle/detail/own_locality.hpp>

#include <algorithm>
#include <utility>

namespace treadle::tree {
namespace {

value tiled(array a, named_tile t) {
  value v(std::move(a));
  v.set_tile(number_of(t));
  return v;
}

// Annotations ------------------------------------------------------------------------------------------------------

// "rows", "columns", ... of an array of that rank; a vector has both.
std::size_t axis_of(std::string_view name, std::size_t rank) {
  constexpr std::string_view k_names[] = {"columns", "rows", "pages", "quats"}; // from the last axis on
  for (std::size_t back = 0; back < std::max<std::size_t>(rank, 2); ++back)
    if (rank > 0 && back < std::size(k_names) && k_names[back] == name) return rank == 1 ? 0 : rank - 1 - back;
  throw value_error("an array of " + std::to_string(rank) + " dimensions has no " + repr(value(name)));
}

// list("tile", list("rows", start, stop), ...), or that in list("args", ...); null: it is neither.
const value* find_tile(const value& annotation, int depth, value& kept) {
  if (!annotation.is_list() || annotation.size() == 0 || depth > 4) return nullptr;
  const value head = annotation.item(0);
  if (head.is_string() && head.to_string_view() == "tile") {
    kept = annotation;
    return &kept;
  }
  for (std::size_t i = 0; i < annotation.size(); ++i)
    if (find_tile(annotation.item(i), depth + 1, kept)) return &kept;
  return nullptr;
}

tile parse_tile(const value& annotation, const extents& shape) {
  tile t = whole_of(shape);
  for (std::size_t i = 1; i < annotation.size(); ++i) {
    const value range = annotation.item(i);
    if (!range.is_list() || range.size() != 3)
      throw value_error("a range of a tile is written list(\"rows\", start, stop), not " + repr(range));
    const auto axis = axis_of(range.item(0).to_string_view(), shape.rank());
    const auto start = range.item(1).to_int64(), stop = range.item(2).to_int64();
    if (start < 0 || stop < start || stop - start != shape[axis])
      throw value_error(std::string(range.item(0).to_string_view()) + " " + std::to_string(start) + " to " +
                        std::to_string(stop) + " are not those of an array of shape " + to_string(shape));
    t.start[axis] = start;
  }
  return t;
}

value annotate(call_context&, std::span<value> args) {
  std::string name;
  value annotation;
  bool found = false;
  for (const value& a : args.subspan(1)) {
    if (a.is_string() && name.empty()) name = a.to_string_view();
    found = found || find_tile(a, 0, annotation);
  }
  if (!found) return args[0];
  array a = args[0].to_array();
  const tile where = parse_tile(annotation, a.shape());
  return tiled(std::move(a), {std::move(name), where});
}

value annotate_d(call_context& context, std::span<value> args) {
  value annotation;
  if (!args[1].is_string() || !find_tile(args[2], 0, annotation))
    throw value_error("annotate_d(x, name, list(\"tile\", list(\"rows\", start, stop), ...))");
  return annotate(context, args);
}

// What all localities hold ------------------------------------------------------------------------------------------

// A distributed array, as this locality knows it; or one of which every locality has all.
struct operand {
  array own;
  bool is_spread = false;
  std::vector<named_tile> tiles; // of all localities in their order; of one that is not spread: none
  extents shape;                 // of the whole

  std::string title() const {
    return is_spread && !tiles[0].name.empty() ? repr(value(tiles[0].name)) : std::string("the array");
  }
  std::vector<tile> places() const {
    std::vector<tile> all;
    for (const auto& t : tiles) all.push_back(t.where);
    return all;
  }
  const tile& mine() const { return tiles[detail::own_number.load(detail::order::relaxed)].where; }
  bool is_cut_along(std::size_t axis) const {
    return std::any_of(tiles.begin(), tiles.end(), [&](const auto& t) { return t.where.shape[axis] != shape[axis]; });
  }
};

value to_list(const extents& e) {
  std::vector<value> items;
  for (const auto n : e) items.push_back(n);
  return value::list(std::move(items));
}

// nil: no tile.
value described(const value& v) {
  if (v.tile() == 0) return {};
  const auto& t = tile_of_number(v.tile());
  return value::list({t.name, to_list(t.where.start), to_list(t.where.shape)});
}

// All localities ask for the same operands, and learn the same about them.
std::vector<operand> examine(call_context& context, std::span<const value> args) {
  std::vector<value> own;
  std::vector<operand> found(args.size());
  for (const value& v : args) own.push_back(described(v));
  const auto all = context.services->all_gather(context.self->name, value::list(own));
  for (std::size_t i = 0; i < args.size(); ++i) {
    operand& x = found[i];
    x.own = args[i].to_array();
    for (const value& of_one : all) {
      const value d = of_one.item(i);
      if (d.is_nil()) continue;
      x.tiles.push_back({std::string(d.item(0).to_string_view()), {to_extents(d.item(1)), to_extents(d.item(2))}});
    }
    if (args[i].tile() != 0 && tile_of_number(args[i].tile()).where.shape != x.own.shape())
      throw value_error("an array of shape " + to_string(x.own.shape()) + " is not the tile that it was");
    x.is_spread = !x.tiles.empty();
    x.shape = x.own.shape();
    if (!x.is_spread) continue;
    if (x.tiles.size() != all.size())
      throw value_error(x.title() + " is a tile in some localities, and none in others");
    for (const auto& t : x.tiles)
      if (t.name != x.tiles[0].name)
        throw value_error("a tile of " + repr(value(x.tiles[0].name)) + " meets one of " + repr(value(t.name)));
    x.shape = joined_shape(x.places(), x.title());
  }
  return found;
}

// Everything of it, everywhere.
array whole(call_context& context, const operand& x) {
  if (!x.is_spread) return x.own;
  std::vector<array> parts;
  for (const value& part : context.services->all_gather(context.self->name, x.own)) {
    if (!part.is_array() || part.as_array().shape() != x.tiles[parts.size()].where.shape)
      throw value_error("a tile of " + x.title() + " has not the shape that was announced");
    parts.push_back(part.as_array());
  }
  return joined(parts, x.places(), x.shape);
}

array sum_over_all(call_context& context, const value& own, std::string_view add, bool is_tile = false) {
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

// Primitives ---------------------------------------------------------------------------------------------------------

// (x, tiling_type): arrays without annotation are joined in the order of the localities, by rows or "column"s.
value all_gather(call_context& context, std::span<value> args) {
  const value& kind = argument(args, 1);
  operand x = std::move(examine(context, args.first(1))[0]);
  if (x.is_spread) return whole(context, x);
  const auto rank = x.own.rank();
  if (rank == 0) throw value_error("a number is no tile of an array: use list() or [x]");
  std::size_t axis = 0;
  if (!kind.is_nil()) {
    if (kind.to_string_view() != "row" && kind.to_string_view() != "column")
      throw value_error("unknown kind of tiles " + repr(kind) + ": use \"row\" or \"column\"");
    axis = kind.to_string_view() == "column" ? rank - 1 : 0;
  }
  const auto all = context.services->all_gather(context.self->name, x.own);
  std::vector<array> parts;
  std::vector<tile> where;
  std::int64_t start = 0;
  for (const value& part : all) {
    parts.push_back(part.to_array());
    if (parts.back().rank() != rank) throw value_error("the tiles have different dimensions");
    where.push_back(whole_of(parts.back().shape()));
    where.back().start[axis] = start;
    start += parts.back().shape()[axis];
  }
  const extents shape = joined_shape(where, "the array");
  return joined(parts, where, shape);
}

value all_reduce(call_context& context, std::span<value> args) { // (x, operation)
  array own = args[0].to_array();
  const bool is_tile = args[0].tile() != 0;
  const value& name = argument(args, 1);
  const auto operation = name.is_nil() ? std::string_view("sum") : name.to_string_view();
  constexpr std::pair<std::string_view, std::string_view> k_known[] = {
      {"sum", "__add"}, {"prod", "__mul"}, {"max", "maximum"}, {"min", "minimum"}};
  for (const auto& [known, primitive] : k_known)
    if (known == operation) {
      const bool counts = primitive == "__add" || primitive == "__mul";
      if (counts && own.type() == dtype::boolean) own = own.cast(dtype::int64); // also where there is nothing to add
      return detail::from_array(sum_over_all(context, own, primitive, is_tile));
    }
  throw value_error("unknown operation " + repr(name) + ": use \"sum\", \"prod\", \"max\" or \"min\"");
}

// The tile of this locality, or that of (tile_index, numtiles), in the arguments from `first` on: tile_index, numtiles,
// name, tiling_type.
named_tile chosen(std::span<const value> args, std::size_t first, const extents& shape) {
  const auto number = [&](std::size_t i, unsigned otherwise) {
    const value& v = argument(args, i);
    return v.is_nil() ? static_cast<std::int64_t>(otherwise) : v.to_int64();
  };
  const auto text = [&](std::size_t i, std::string_view otherwise) {
    const value& v = argument(args, i);
    return std::string(v.is_nil() ? otherwise : v.to_string_view());
  };
  return {text(first + 2, ""), part_of(shape, number(first, detail::own_number.load(detail::order::relaxed)),
                                       number(first + 1, detail::number_of_localities.load(detail::order::relaxed)),
                                       text(first + 3, "row"))};
}

value constant_d(call_context& context, std::span<value> args) { // (x, shape, ..., dtype)
  if (!args[0].is_scalar()) throw value_error("constant_d() takes a number");
  const named_tile t = chosen(args, 2, to_extents(args[1]));
  const value part = call_primitive("constant", context, {args[0], to_list(t.where.shape), argument(args, 6)});
  return tiled(part.to_array(), t);
}

value identity_d(call_context& context, std::span<value> args) { // (n, ...)
  const auto n = args[0].to_int64();
  if (n < 0) throw value_error("identity_d(" + std::to_string(n) + ") is impossible");
  const named_tile t = chosen(args, 1, {n, n});
  array part = array::zeros(to_dtype(argument(args, 5), dtype::float64), t.where.shape);
  const value one = call_primitive("constant", context, {1, to_list({1}), argument(args, 5)});
  const auto size = item_bytes(part.type());
  auto* const to = static_cast<std::byte*>(part.mutable_raw_data());
  const array number = one.to_array().cast(part.type());
  for (std::int64_t i = 0; i < t.where.shape[0]; ++i) {
    const auto column = t.where.start[0] + i - t.where.start[1];
    if (column < 0 || column >= t.where.shape[1]) continue;
    std::copy_n(static_cast<const std::byte*>(number.raw_data()), size,
                to + static_cast<std::size_t>(i * t.where.shape[1] + column) * size);
  }
  return tiled(std::move(part), t);
}

// All of it is drawn everywhere, so that the whole array does not depend on how many localities there are.
value random_d(call_context& context, std::span<value> args) { // (shape, ..., distribution)
  const named_tile t = chosen(args, 1, to_extents(args[0]));
  const value all = call_primitive("random", context, {args[0], argument(args, 5)});
  return tiled(cut_out(all.to_array(), t.where), t);
}

// Another way to cut; what is not spread is the same everywhere, and each locality takes its part.
value retile_d(call_context& context, std::span<value> args) { // (x, tiling_type, tile_index, numtiles, name)
  const operand x = std::move(examine(context, args.first(1))[0]);
  const value& name = argument(args, 4);
  const value reordered[] = {argument(args, 2), argument(args, 3),
                             name.is_nil() && x.is_spread ? value(x.tiles[0].name) : name, argument(args, 1)};
  const named_tile t = chosen(reordered, 0, x.shape);
  return tiled(cut_out(whole(context, x), t.where), t);
}

value transpose_d(call_context&, std::span<value> args) {
  if (args[0].tile() == 0) return args[0].to_array().transpose();
  const auto reversed = [](const extents& e) {
    extents r = e;
    for (std::size_t i = 0; i < e.rank(); ++i) r[i] = e[e.rank() - 1 - i];
    return r;
  };
  const auto& t = tile_of_number(args[0].tile());
  return tiled(args[0].to_array().transpose(), {t.name, {reversed(t.where.start), reversed(t.where.shape)}});
}

value shape_d(call_context& context, std::span<value> args) { // (x, axis)
  const extents shape = examine(context, args.first(1))[0].shape;
  return argument(args, 1).is_nil() ? to_list(shape) : value(shape[to_axis(args[1], shape.rank())]);
}

// A row of the whole, everywhere: each locality gives what it has of it.
template <std::size_t Axis>
value slice_d(call_context& context, std::span<value> args) {
  const operand x = std::move(examine(context, args.first(1))[0]);
  if (x.shape.rank() != 2) throw value_error("expected a matrix, found an array of shape " + to_string(x.shape));
  auto i = args[1].to_int64();
  if (i < 0) i += x.shape[Axis];
  if (i < 0 || i >= x.shape[Axis])
    throw value_error(error_kind::index, "index " + std::to_string(args[1].to_int64()) + " is out of bounds for axis " +
                                             std::to_string(Axis) + " of length " + std::to_string(x.shape[Axis]));
  const auto row_of = [&](const tile& t) { // the part of it that this tile has
    const bool has_it = t.start[Axis] <= i && i < t.stop(Axis);
    tile row = t;
    row.start[Axis] = has_it ? i - t.start[Axis] : 0;
    row.shape[Axis] = has_it ? 1 : 0;
    return row;
  };
  const auto flat = [](array a) { return a.reshape({-1}); };
  if (!x.is_spread) return flat(cut_out(x.own, row_of(whole_of(x.shape))));
  tile own = row_of(x.mine());
  own.start[1 - Axis] = 0; // in the tile
  const auto all = context.services->all_gather(context.self->name, cut_out(x.own, own));
  std::vector<array> parts;
  std::vector<tile> where;
  for (std::size_t r = 0; r < all.size(); ++r) {
    parts.push_back(all[r].to_array());
    where.push_back(row_of(x.tiles[r].where));
    where.back().start[Axis] = 0;
  }
  extents shape = x.shape;
  shape[Axis] = 1;
  return flat(joined(parts, where, shape));
}

template <const char* Name>
value of_whole(call_context& context, std::span<value> args) {
  const operand x = std::move(examine(context, args.first(1))[0]);
  std::vector<value> given{whole(context, x)};
  for (const value& v : args.subspan(1)) given.push_back(v);
  return call_primitive(Name, context, std::move(given));
}
constexpr char k_argmax[] = "argmax", k_argmin[] = "argmin", k_amax[] = "amax", k_amin[] = "amin";

value inverse_d(call_context& context, std::span<value> args) {
  const operand x = std::move(examine(context, args.first(1))[0]);
  const value inverse = call_primitive("inverse", context, {whole(context, x)});
  if (!x.is_spread) return inverse;
  return tiled(cut_out(inverse.to_array(), x.mine()), x.tiles[detail::own_number.load(detail::order::relaxed)]);
}

// Products: the result is spread as the rows of the first operand are, or as the columns of the second.
value dot_d(call_context& context, std::span<value> args) {
  const auto both = examine(context, args.first(2));
  const operand &a = both[0], &b = both[1];
  const auto dot = [&](const array& x, const array& y) { return call_primitive("dot", context, {x, y}); };
  const auto ra = a.shape.rank(), rb = b.shape.rank();
  if (ra == 0 || rb == 0 || ra > 2 || rb > 2) throw value_error("dot_d() takes vectors and matrices");
  if (a.shape[ra - 1] != b.shape[0])
    throw value_error("dot_d(): operands of shapes " + to_string(a.shape) + " and " + to_string(b.shape) +
                      " do not fit");
  const bool rows = ra == 2 && a.is_cut_along(0), inner = a.is_cut_along(ra - 1);
  const bool columns = rb == 2 && b.is_cut_along(1), b_inner = b.is_cut_along(0);
  const auto here = detail::own_number.load(detail::order::relaxed);
  // Axes of the result: those of a without its last one, and those of b without its first one.
  const auto of_result = [&](const tile& x, const tile& y) {
    tile t;
    const auto add = [&t](const tile& from, std::size_t axis) {
      t.start.push_back(from.start[axis]);
      t.shape.push_back(from.shape[axis]);
    };
    if (ra == 2) add(x, 0);
    if (rb == 2) add(y, 1);
    return t;
  };
  if (!a.is_spread && !b.is_spread) return dot(a.own, b.own);
  if (inner && b_inner && !rows && !columns) {
    bool fits = true;
    for (std::size_t i = 0; i < a.tiles.size(); ++i) {
      const tile &x = a.tiles[i].where, &y = b.tiles[i].where;
      fits = fits && x.start[ra - 1] == y.start[0] && x.shape[ra - 1] == y.shape[0];
    }
    if (fits) return detail::from_array(sum_over_all(context, dot(a.own, b.own), "__add"));
  }
  if (columns && !b_inner && !a.is_spread) {
    return tiled(dot(a.own, b.own).to_array(), {b.tiles[here].name, of_result(whole_of(a.shape), b.mine())});
  }
  const array all_of_b = whole(context, b);
  if (rows && !inner) {
    return tiled(dot(a.own, all_of_b).to_array(), {a.tiles[here].name, of_result(a.mine(), whole_of(b.shape))});
  }
  const array all_of_a = whole(context, a);
  std::vector<tile> results;
  for (std::size_t i = 0; i < std::max(a.tiles.size(), b.tiles.size()); ++i)
    results.push_back(of_result(a.is_spread ? a.tiles[i].where : whole_of(a.shape),
                                b.is_spread ? b.tiles[i].where : whole_of(b.shape)));
  const tile total = of_result(whole_of(a.shape), whole_of(b.shape));
  if (total.shape.rank() == 0) return dot(all_of_a, all_of_b);
  if (!cover(results, total.shape))
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i] = part_of(total.shape, static_cast<std::int64_t>(i), static_cast<std::int64_t>(results.size()), "row");
  const tile& mine = results[here];
  tile x = whole_of(a.shape), y = whole_of(b.shape);
  if (ra == 2) x.start[0] = mine.start[0], x.shape[0] = mine.shape[0];
  if (rb == 2) y.start[1] = mine.start[ra - 1], y.shape[1] = mine.shape[ra - 1];
  return tiled(dot(cut_out(all_of_a, x), cut_out(all_of_b, y)).to_array(),
               {a.is_spread ? a.tiles[0].name : b.tiles[0].name, mine});
}

value file_read_csv_d(call_context&, std::span<value> args) { // (file, tile_index, numtiles, name, tiling_type)
  const array all = read_csv(std::string(args[0].to_string_view()));
  const named_tile t = chosen(args, 1, all.shape());
  return tiled(cut_out(all, t.where), t);
}

} // namespace

std::span<const primitive> distributed_primitives() {
  constexpr auto k_exchange = effect::exchange;
  constexpr auto k_of_arrays = number_rule::of_arrays;
  static constexpr primitive k_table[] = {
      {"annotate", "x, ...", annotate, effect::none, number_rule::as_made, true},
      {"annotate_d", "x, name, tile", annotate_d, effect::none, number_rule::as_made, true},
      {"all_gather_d", "x, tiling_type=", all_gather, k_exchange},
      {"all_reduce_d", "x, operation=", all_reduce, k_exchange},
      {"amax_d", "x, axis=", of_whole<k_amax>, k_exchange},
      {"amin_d", "x, axis=", of_whole<k_amin>, k_exchange},
      {"argmax_d", "x, axis=", of_whole<k_argmax>, k_exchange},
      {"argmin_d", "x, axis=", of_whole<k_argmin>, k_exchange},
      {"constant_d", "x, shape, tile_index=, numtiles=, name=, tiling_type=, dtype=", constant_d, effect::none,
       k_of_arrays, true},
      {"dot_d", "a, b", dot_d, k_exchange, k_of_arrays, true},
      {"file_read_csv_d", "name, tile_index=, numtiles=, array=, tiling_type=", file_read_csv_d, effect::ordered,
       k_of_arrays, true},
      {"identity_d", "n, tile_index=, numtiles=, name=, tiling_type=, dtype=", identity_d, effect::none, k_of_arrays,
       true},
      {"inverse_d", "x", inverse_d, k_exchange, k_of_arrays, true},
      {"random_d", "shape, tile_index=, numtiles=, name=, tiling_type=, distribution=", random_d, effect::ordered,
       k_of_arrays, true},
      {"retile_d", "x, tiling_type=, tile_index=, numtiles=, name=", retile_d, k_exchange, k_of_arrays, true},
      {"shape_d", "x, axis=", shape_d, k_exchange, number_rule::as_made},
      {"slice_column_d", "x, i", slice_d<1>, k_exchange},
      {"slice_row_d", "x, i", slice_d<0>, k_exchange},
      {"transpose_d", "x", transpose_d, effect::none, k_of_arrays, true},
  };
  return k_table;
}

} // namespace treadle::tree
