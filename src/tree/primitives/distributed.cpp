// Arrays that are spread over localities, one tile in each. docs/design/distributed-arrays.md
#include "tree/primitives/distributed_operands.hpp"
#include "tree/run/services.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace treadle::tree {
namespace {

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

value constant_d(call_context& context, std::span<value> args) { // (x, shape, ..., dtype)
  if (!args[0].is_scalar()) throw value_error("constant_d() takes a number");
  const named_tile t = chosen(args, 2, to_extents(args[1]));
  const value part = call_primitive("constant", context, {args[0], to_list(t.where.shape), argument(args, 6)});
  return tiled(part.to_array(), t);
}

// The part `where` of a matrix with these numbers on its k-th diagonal, and zeros.
array part_with_diagonal(const array& numbers, std::int64_t k, const tile& where) {
  array part = array::zeros(numbers.type(), where.shape);
  const auto size = static_cast<std::int64_t>(item_bytes(part.type()));
  auto* const to = static_cast<std::byte*>(part.mutable_raw_data());
  const auto* const from = static_cast<const std::byte*>(numbers.raw_data());
  for (std::int64_t i = 0; i < where.shape[0]; ++i) {
    const auto row = where.start[0] + i, column = row + k - where.start[1], at = std::min(row, row + k);
    if (column < 0 || column >= where.shape[1] || at < 0 || at >= numbers.size()) continue;
    std::copy_n(from + at * numbers.strides()[0] * size, size, to + (i * where.shape[1] + column) * size);
  }
  return part;
}

value identity_d(call_context& context, std::span<value> args) { // (n, ...)
  const auto n = args[0].to_int64();
  if (n < 0) throw value_error("identity_d(" + std::to_string(n) + ") is impossible");
  const named_tile t = chosen(args, 1, {n, n});
  const array one = call_primitive("constant", context, {1, to_list({1}), argument(args, 5)}).to_array();
  return tiled(part_with_diagonal(one.cast(to_dtype(argument(args, 5), dtype::float64)).view(0, {n}, {0}), 0, t.where),
               t);
}

// Where the k-th diagonal of the whole runs through a tile, as a part of that diagonal.
tile diagonal_in(const tile& t, std::int64_t k) {
  const auto first = std::max(t.start[0], t.start[1] - k), stop = std::min(t.stop(0), t.stop(1) - k);
  return {{first + std::min<std::int64_t>(k, 0)}, {std::max<std::int64_t>(stop - first, 0)}};
}

value diag_d(call_context& context, std::span<value> args) { // (a, k, ...)
  const operand x = std::move(examine(context, args.first(1))[0]);
  const auto k = to_diagonal(argument(args, 1), x.shape);
  if (x.shape.rank() == 1) {
    const auto n = x.shape[0] + std::abs(k);
    const named_tile t = chosen(args, 2, {n, n});
    return tiled(part_with_diagonal(whole(context, x), k, t.where), t);
  }
  if (x.shape.rank() != 2)
    throw value_error("expected a vector or a matrix, found an array of shape " + to_string(x.shape));
  const auto part = [&](const tile& here) {
    return call_primitive("diag", context, {x.own, k + here.start[0] - here.start[1]}).to_array();
  };
  array diagonal = part(x.where(own_locality()));
  if (x.is_spread) {
    const auto all = context.services->all_gather(context.self->name, diagonal);
    std::vector<array> parts;
    std::vector<tile> where;
    for (std::size_t i = 0; i < all.size(); ++i) {
      parts.push_back(all[i].to_array());
      where.push_back(diagonal_in(x.tiles[i].where, k));
    }
    diagonal = joined(parts, where, diagonal_in(whole_of(x.shape), k).shape);
  }
  const named_tile t = chosen(args, 2, diagonal.shape());
  return tiled(cut_out(diagonal, t.where), t);
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
  return tiled(cut_out(inverse.to_array(), x.mine()), x.tiles[own_locality()]);
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
      {"cannon_product_d", "a, b", cannon_product_d, k_exchange, k_of_arrays, true},
      {"diag_d", "a, k=, tile_index=, numtiles=, name=, tiling_type=", diag_d, k_exchange, k_of_arrays, true},
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
