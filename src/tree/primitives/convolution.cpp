// conv1d and conv1d_d: what Keras calls a one-dimensional convolution, as distributed Phylanx has it.
#include "tree/primitives/distributed_operands.hpp"
#include "tree/run/services.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

// Output o is made of the inputs from o * stride - before on, every `dilation`-th of `span`. What is outside of the
// input is zero.
struct convolution {
  i64 stride, dilation, span, before, outputs;

  // The inputs that these outputs are made of, from the first to behind the last.
  std::pair<i64, i64> inputs_of(i64 first, i64 last) const noexcept {
    if (first >= last) return {0, 0};
    return {first * stride - before, (last - 1) * stride - before + span};
  }
};

i64 positive(const value& v, const char* name) {
  constexpr i64 k_most = i64{1} << 31U;
  const i64 n = v.is_nil() ? 1 : v.to_int64();
  if (n < 1 || n > k_most) throw value_error(std::string(name) + " must be a number from 1 to 2^31, not " + repr(v));
  return n;
}

// Of (x, kernel, padding, strides, dilation_rate), the first two of these shapes.
convolution convolution_of(const call_context& context, const extents& x, const extents& kernel,
                           std::span<const value> args) {
  const std::string title = std::string(context.self->name) + "()";
  if (x.rank() != 3 || kernel.rank() != 3)
    throw value_error(title + " takes arrays of shapes (batch, length, channels) and (width, channels, filters), not " +
                      to_string(x) + " and " + to_string(kernel));
  if (x[2] != kernel[1])
    throw value_error(title + ": the input has " + std::to_string(x[2]) + " channels, the kernel " +
                      std::to_string(kernel[1]));
  if (kernel[0] == 0) throw value_error(title + ": a kernel of width 0");
  convolution c{positive(argument(args, 3), "strides"), positive(argument(args, 4), "dilation_rate"), 0, 0, 0};
  if (kernel[0] > i64{1} << 31U) throw value_error(title + ": a kernel of shape " + to_string(kernel));
  c.span = (kernel[0] - 1) * c.dilation + 1;
  const i64 length = x[1], in_all = (length + c.stride - 1) / c.stride;
  const value& given = argument(args, 2);
  const auto padding = given.is_nil() ? std::string_view("valid") : given.to_string_view();
  if (padding == "valid") {
    c.outputs = length < c.span ? 0 : (length - c.span) / c.stride + 1;
  } else if (padding == "same") { // one more behind than before where it is odd
    c.outputs = in_all;
    c.before = std::max<i64>((in_all - 1) * c.stride + c.span - length, 0) / 2;
  } else if (padding == "causal") {
    c.outputs = in_all;
    c.before = c.span - 1;
  } else {
    throw value_error("unknown padding " + repr(given) + R"(: use "valid", "same" or "causal")");
  }
  return c;
}

// `x` begins where the inputs of the first output do, and has all of those of `outputs` outputs.
array convolve(const array& x, const array& kernel, const convolution& c, i64 outputs) {
  constexpr i64 k_most = i64{1} << 20U; // elements that are put together for one product
  const i64 batch = x.shape()[0], channels = x.shape()[2], width = kernel.shape()[0], filters = kernel.shape()[2];
  const dtype type = std::max({x.type(), kernel.type(), dtype::int64}); // truth values count
  const array matrix = kernel.cast(type).contiguous().reshape({width * channels, filters});
  array result = array::zeros(type, {batch, outputs, filters});
  const i64 at_once = std::max<i64>(k_most / std::max<i64>(width * channels, 1), 1);
  const auto& s = x.strides();
  for (i64 b = 0; b < batch && channels > 0 && filters > 0; ++b) {
    for (i64 first = 0; first < outputs; first += at_once) {
      const i64 n = std::min(at_once, outputs - first);
      const array windows =
          x.view(b * s[0] + first * c.stride * s[1], {n, width, channels}, {c.stride * s[1], c.dilation * s[1], s[2]});
      const array sums =
          call_primitive("dot", {}, {windows.cast(type).contiguous().reshape({n, width * channels}), matrix})
              .to_array();
      put(result, {{b, first, 0}, {1, n, filters}}, sums.reshape({1, n, filters}));
    }
  }
  return result;
}

// Of no size where they have nothing in common.
tile shared(const tile& a, const tile& b) {
  tile both = a;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    both.start[axis] = std::max(a.start[axis], b.start[axis]);
    both.shape[axis] = std::max<i64>(std::min(a.stop(axis), b.stop(axis)) - both.start[axis], 0);
  }
  return both;
}
// The same part, as one of `whole` alone.
tile within(tile part, const tile& whole) {
  for (std::size_t axis = 0; axis < 3; ++axis) part.start[axis] -= whole.start[axis];
  return part;
}

// Inputs of a range, zeros where there are none, of pieces of the whole array.
class input {
 public:
  // `where`: which part of the whole; along the length it may go beyond.
  input(dtype type, tile where) : m_where(std::move(where)), m_values(array::zeros(type, m_where.shape)) {}
  bool needs(const tile& piece) const { return size_of(shared(m_where, piece).shape) > 0; }
  void add(const tile& place, const array& piece) {
    const tile both = shared(m_where, place);
    if (size_of(both.shape) > 0) put(m_values, within(both, m_where), cut_out(piece, within(both, place)));
  }
  const array& values() const noexcept { return m_values; }

 private:
  static i64 size_of(const extents& e) {
    i64 n = 1;
    for (const i64 each : e) n *= each;
    return n;
  }

  tile m_where;
  array m_values;
};

// What others can need of a tile: as many inputs from each end as one output has beside its first one.
std::vector<tile> ends_of(const tile& t, i64 halo) {
  if (t.shape[1] <= 2 * halo) return {t};
  tile first = t, last = t;
  first.shape[1] = last.shape[1] = halo;
  last.start[1] = t.stop(1) - halo;
  return {first, last};
}

// Outputs that begin in these inputs.
std::pair<i64, i64> outputs_in(const convolution& c, const tile& t) noexcept {
  const auto behind = [&](i64 at) { return std::min((at + c.stride - 1) / c.stride, c.outputs); };
  return {behind(t.start[1]), behind(t.stop(1))};
}

array convolve_whole(const array& x, const array& kernel, const convolution& c) {
  const auto [from, to] = c.inputs_of(0, c.outputs);
  if (c.before == 0 && to <= x.shape()[1]) return convolve(x, kernel, c, c.outputs);
  input all(x.type(), {{0, from, 0}, {x.shape()[0], to - from, x.shape()[2]}});
  all.add(whole_of(x.shape()), x);
  return convolve(all.values(), kernel, c, c.outputs);
}

value conv1d(call_context& context, std::span<value> args) {
  const array x = args[0].to_array(), kernel = args[1].to_array();
  return convolve_whole(x, kernel, convolution_of(context, x.shape(), kernel.shape(), args));
}

// Each locality makes the outputs that begin in its tile, and takes the ends of other tiles that these need.
value conv1d_d(call_context& context, std::span<value> args) {
  const auto operands = examine(context, args.first(2));
  const operand& x = operands[0];
  const convolution c = convolution_of(context, x.shape, operands[1].shape, args);
  const array kernel = whole(context, operands[1]);
  if (!x.is_spread) return convolve_whole(x.own, kernel, c);
  const value& name = argument(args, 5);
  const std::string named = name.is_nil() ? x.tiles[own_locality()].name : std::string(name.to_string_view());
  if (x.is_cut_along(2)) {
    const array all = convolve_whole(whole(context, x), kernel, c);
    const tile mine = part_of(all.shape(), own_locality(), static_cast<i64>(x.tiles.size()), "row");
    return tiled(cut_out(all, mine), {named, mine});
  }

  const i64 halo = c.span - 1;
  const tile& mine = x.mine();
  std::vector<value> offered;
  for (const tile& place : ends_of(mine, halo)) offered.push_back(cut_out(x.own, within(place, mine)));
  const auto offer = context.services->offer(context.self->name, value::list(offered));
  const auto [first, last] = outputs_in(c, mine);
  const auto [from, to] = c.inputs_of(first, last);
  input needed(x.own.type(), {{mine.start[0], from, 0}, {mine.shape[0], to - from, mine.shape[2]}});
  needed.add(mine, x.own);
  for (unsigned i = 0; i < x.tiles.size(); ++i) {
    const auto places = ends_of(x.tiles[i].where, halo);
    if (i == own_locality() ||
        std::none_of(places.begin(), places.end(), [&](const tile& t) { return needed.needs(t); }))
      continue;
    const value taken = context.services->take(context.self->name, offer, i);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const value part = taken.is_list() && taken.size() == places.size() ? taken.item(k) : value();
      if (!part.is_array() || part.as_array().shape() != places[k].shape)
        throw value_error("a tile of " + x.title() + " has not the shape that was announced");
      needed.add(places[k], part.as_array());
    }
  }
  const tile result{{mine.start[0], first, 0}, {mine.shape[0], last - first, kernel.shape()[2]}};
  return tiled(convolve(needed.values(), kernel, c, last - first), {named, result});
}

} // namespace

std::span<const primitive> convolution_primitives() {
  static constexpr primitive k_table[] = {
      {"conv1d", "x, kernel, padding=, strides=, dilation_rate=", conv1d},
      {"conv1d_d", "x, kernel, padding=, strides=, dilation_rate=, name=", conv1d_d, effect::exchange,
       number_rule::of_arrays, true},
  };
  return k_table;
}

} // namespace treadle::tree
