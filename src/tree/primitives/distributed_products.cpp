// Products of arrays that are spread over localities. docs/design/distributed-arrays.md
#include "tree/primitives/distributed_operands.hpp"
#include "tree/run/services.hpp"

#include <set>
#include <utility>

namespace treadle::tree {
namespace {

// Axes of a product: those of x without its last one, and those of y without its first one.
tile tile_of_product(const tile& x, const tile& y) {
  tile t;
  const auto add = [&t](const tile& from, std::size_t axis) {
    t.start.push_back(from.start[axis]);
    t.shape.push_back(from.shape[axis]);
  };
  if (x.shape.rank() == 2) add(x, 0);
  if (y.shape.rank() == 2) add(y, 1);
  return t;
}

// Of all localities: as the operands are cut, or rows where that leaves gaps.
std::vector<tile> tiles_of_product(const operand& a, const operand& b) {
  const tile total = tile_of_product(whole_of(a.shape), whole_of(b.shape));
  std::vector<tile> results;
  for (std::size_t i = 0; i < std::max(a.tiles.size(), b.tiles.size()); ++i)
    results.push_back(tile_of_product(a.where(i), b.where(i)));
  if (!cover(results, total.shape))
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i] = part_of(total.shape, static_cast<std::int64_t>(i), static_cast<std::int64_t>(results.size()), "row");
  return results;
}

[[noreturn]] void refuse_shapes(const call_context& context, const operand& a, const operand& b) {
  throw value_error(std::string(context.self->name) + "(): operands of shapes " + to_string(a.shape) + " and " +
                    to_string(b.shape) + " do not fit");
}

// Along one axis.
struct range {
  std::int64_t start, stop;
  bool is_empty() const noexcept { return start >= stop; }
};
range shared(const tile& x, std::size_t of_x, const tile& y, std::size_t of_y) {
  return {std::max(x.start[of_x], y.start[of_y]), std::min(x.stop(of_x), y.stop(of_y))};
}
// These rows and columns of the whole, as a part of what is in `in`.
tile part_in(const tile& in, range rows, range columns) {
  return {{rows.start - in.start[0], columns.start - in.start[1]},
          {rows.stop - rows.start, columns.stop - columns.start}};
}

// The tiles of an operand, each taken from who has it when it is needed; the latest one is kept.
class tiles_of {
 public:
  tiles_of(call_context& context, const operand& x) : m_context(context), m_operand(x) {
    if (x.is_spread) m_offer = context.services->offer(context.self->name, x.own);
  }
  std::size_t size() const { return m_operand.is_spread ? m_operand.tiles.size() : 1; }
  const array& get(std::size_t i) {
    if (!m_operand.is_spread || i == own_locality()) return m_operand.own;
    if (m_kept_number != i) {
      m_kept = m_operand.received(i, m_context.services->take(m_context.self->name, m_offer, static_cast<unsigned>(i)));
      m_kept_number = i;
    }
    return m_kept;
  }

 private:
  call_context& m_context;
  const operand& m_operand;
  std::uint64_t m_offer = 0;
  array m_kept;
  std::size_t m_kept_number = ~std::size_t{0};
};

} // namespace

// The result is spread as the rows of the first operand are, or as the columns of the second.
value dot_d(call_context& context, std::span<value> args) {
  const auto both = examine(context, args.first(2));
  const operand &a = both[0], &b = both[1];
  const auto dot = [&](const array& x, const array& y) { return call_primitive("dot", context, {x, y}); };
  const auto ra = a.shape.rank(), rb = b.shape.rank();
  if (ra == 0 || rb == 0 || ra > 2 || rb > 2) throw value_error("dot_d() takes vectors and matrices");
  if (a.shape[ra - 1] != b.shape[0]) refuse_shapes(context, a, b);
  const bool rows = ra == 2 && a.is_cut_along(0), inner = a.is_cut_along(ra - 1);
  const bool columns = rb == 2 && b.is_cut_along(1), b_inner = b.is_cut_along(0);
  const auto here = own_locality();
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
    return tiled(dot(a.own, b.own).to_array(), {b.tiles[here].name, tile_of_product(whole_of(a.shape), b.mine())});
  }
  const array all_of_b = whole(context, b);
  if (rows && !inner) {
    return tiled(dot(a.own, all_of_b).to_array(), {a.tiles[here].name, tile_of_product(a.mine(), whole_of(b.shape))});
  }
  const array all_of_a = whole(context, a);
  const tile total = tile_of_product(whole_of(a.shape), whole_of(b.shape));
  if (total.shape.rank() == 0) return dot(all_of_a, all_of_b);
  const tile mine = tiles_of_product(a, b)[here];
  tile x = whole_of(a.shape), y = whole_of(b.shape);
  if (ra == 2) x.start[0] = mine.start[0], x.shape[0] = mine.shape[0];
  if (rb == 2) y.start[1] = mine.start[ra - 1], y.shape[1] = mine.shape[ra - 1];
  return tiled(dot(cut_out(all_of_a, x), cut_out(all_of_b, y)).to_array(),
               {a.is_spread ? a.tiles[0].name : b.tiles[0].name, mine});
}

// Cannon's algorithm (1969) for tiles of any kind: who has a tile of the result takes from the others, one after the
// other, the tiles that it needs, and adds up their products. Where the tiles are a square grid each tile is taken by
// one locality at a time. Needs room for one tile of each operand beside those that are here.
value cannon_product_d(call_context& context, std::span<value> args) {
  const auto operands = examine(context, args.first(2));
  const operand &a = operands[0], &b = operands[1];
  if (a.shape.rank() != 2 || b.shape.rank() != 2) throw value_error("cannon_product_d() takes matrices");
  if (a.shape[1] != b.shape[0]) refuse_shapes(context, a, b);
  const auto dot = [&](const array& x, const array& y) { return call_primitive("dot", context, {x, y}).to_array(); };
  if (!a.is_spread && !b.is_spread) return dot(a.own, b.own);

  tiles_of in_rows(context, a), in_columns(context, b);
  const auto results = tiles_of_product(a, b);
  const tile& mine = results[own_locality()];
  struct step {
    std::size_t i, k; // tiles of a and b
    range inner;
  };
  std::vector<step> steps;
  for (std::size_t i = 0; i < in_rows.size(); ++i) {
    for (std::size_t k = 0; k < in_columns.size(); ++k) {
      const tile x = a.where(i), y = b.where(k);
      const range inner = shared(x, 1, y, 0);
      if (!inner.is_empty() && !shared(x, 0, mine, 0).is_empty() && !shared(y, 1, mine, 1).is_empty())
        steps.push_back({i, k, inner});
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const step& x, const step& y) { return x.inner.start < y.inner.start; });
  // Each begins with another one: by its row and column in the grid of results.
  std::set<std::int64_t> above, before;
  for (const tile& t : results) {
    if (t.start[0] < mine.start[0]) above.insert(t.start[0]);
    if (t.start[1] < mine.start[1]) before.insert(t.start[1]);
  }
  if (!steps.empty())
    std::rotate(steps.begin(),
                steps.begin() + static_cast<std::ptrdiff_t>((above.size() + before.size()) % steps.size()),
                steps.end());

  const array nothing = dot(array::zeros(a.own.type(), {1, 0}), array::zeros(b.own.type(), {0, 1}));
  array sum = array::zeros(nothing.type(), mine.shape);
  for (const auto& [i, k, inner] : steps) {
    const tile x = a.where(i), y = b.where(k);
    const range rows = shared(x, 0, mine, 0), columns = shared(y, 1, mine, 1);
    const array product =
        dot(cut_out(in_rows.get(i), part_in(x, rows, inner)), cut_out(in_columns.get(k), part_in(y, inner, columns)));
    const tile place = part_in(mine, rows, columns);
    put(sum, place, call_primitive("__add", context, {cut_out(sum, place), product}).to_array());
  }
  return tiled(std::move(sum), {a.is_spread ? a.tiles[0].name : b.tiles[0].name, mine});
}

} // namespace treadle::tree
