// Arrays with more in them: insert and pad.
#include "tree/kernels/joining.hpp"
#include "tree/kernels/slicing.hpp"
#include "tree/nodes/primitive.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

// The indices of all axes before this one, then it.
std::vector<value> along(std::size_t axis, value index) {
  std::vector<value> indices(axis);
  indices.push_back(std::move(index));
  return indices;
}

i64 insertion_point(i64 index, i64 length) {
  if (index < -length || index > length)
    throw value_error(error_kind::index, "index " + std::to_string(index) + " is out of range for an axis of length " +
                                             std::to_string(length));
  return index < 0 ? index + length : index;
}

// Values for one place: along the axis, whatever comes after it.
array values_in_one_place(const value& v, const array& a, std::size_t axis, bool at_scalar) {
  auto values = v.to_array();
  if (values.rank() > a.rank())
    throw value_error("values of shape " + to_string(values.shape()) + " do not fit into an array of shape " +
                      to_string(a.shape()));
  extents shape = values.shape(), strides = values.strides();
  while (shape.rank() < a.rank()) {
    shape.insert(0, 1);
    strides.insert(0, 0);
  }
  if (at_scalar) { // NumPy turns their first axis into that of the array
    const auto length = shape[0], stride = strides[0];
    shape.erase(0);
    strides.erase(0);
    shape.insert(axis, length);
    strides.insert(axis, stride);
  }
  return values.view(0, shape, strides);
}

// Whether the values can be repeated to a block of the array.
bool inserted_as_block(const array& values, const array& a, std::size_t axis) {
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (i != axis && values.shape()[i] != 1 && values.shape()[i] != a.shape()[i]) return false;
  return true;
}

// insert(a, index or indices, values, axis): before those places, as numpy.insert; all elements without an axis.
value insert(call_context&, std::span<value> args) {
  auto a = args[0].to_array();
  if (argument(args, 3).is_nil()) a = a.reshape({-1});
  const auto axis = argument(args, 3).is_nil() ? 0 : to_axis(args[3], a.rank());
  const auto length = a.shape()[axis];
  auto places = args[1].to_array();
  if (places.type() == dtype::boolean && places.rank() == 1)
    places = call_primitive("nonzero", {}, {places}).item(0).to_array();
  if (places.rank() > 1 || (places.type() == dtype::float64 && places.size() > 0))
    throw value_error("the places to insert at must be one integer or a vector of them");
  const auto at_scalar = places.rank() == 0;
  places = places.cast(dtype::int64).contiguous();

  auto values = to_array_of(args[2], a.type());
  extents shape = a.shape();
  std::vector<i64> targets;
  if (places.size() == 1) {
    const auto at = insertion_point(*places.data<i64>(), length);
    values = values_in_one_place(args[2], a, axis, at_scalar);
    if (inserted_as_block(values, a, axis)) {
      const auto part = [&](i64 from, i64 to) {
        extents part_shape = a.shape();
        part_shape[axis] = to - from;
        return a.view(from * a.strides()[axis], part_shape, a.strides());
      };
      extents block = a.shape();
      block[axis] = values.shape()[axis];
      return join({part(0, at), array::broadcast(values.cast(a.type()), block), part(at, length)}, axis);
    }
    for (i64 i = 0; i < values.shape()[axis]; ++i) targets.push_back(at + i);
  } else {
    for (i64 i = 0; i < places.size(); ++i) targets.push_back(insertion_point(places.data<i64>()[i], length));
    std::vector<std::size_t> order(targets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return targets[i] < targets[j]; });
    for (std::size_t i = 0; i < order.size(); ++i) targets[order[i]] += static_cast<i64>(i); // room for those before
  }
  shape[axis] = length + static_cast<i64>(targets.size());
  auto kept = array::uninitialized(dtype::boolean, {shape[axis]});
  std::fill_n(kept.mutable_data<bool>(), shape[axis], true);
  for (auto i : targets) kept.mutable_data<bool>()[i] = false;
  value result = array::uninitialized(a.type(), shape);
  assign_slice(result, along(axis, array::of<i64>({static_cast<i64>(targets.size())}, targets)), values);
  assign_slice(result, along(axis, kept), a);
  return result;
}

struct margin {
  value before, after;
};

// What is given for both ends of all axes, for the ends, or for each axis: one value, (before, after), one pair per
// axis.
std::vector<margin> margins(const value& v, std::size_t rank) {
  if (!has_axes(v)) return std::vector<margin>(rank, {v, v});
  const auto is_sequence = [](const value& item) { return item.is_list() || item.is_array(); };
  const auto pair = [](const value& item) {
    if (item.size() == 1) return margin{item.item(0), item.item(0)};
    if (item.size() != 2) throw value_error("a margin is (before, after), not " + repr(item));
    return margin{item.item(0), item.item(1)};
  };
  if (v.size() == 0 || !is_sequence(v.item(0))) return std::vector<margin>(rank, pair(v));
  if (v.size() == 1) return std::vector<margin>(rank, pair(v.item(0)));
  if (v.size() != rank)
    throw value_error("margins for " + std::to_string(v.size()) + " axes, the array has " + std::to_string(rank));
  std::vector<margin> result;
  for (std::size_t i = 0; i < rank; ++i) result.push_back(pair(v.item(i)));
  return result;
}

i64 mirrored(i64 i, i64 period) { // 0 1 ... period ... 1 0 1 ...
  i = ((i % (2 * period)) + 2 * period) % (2 * period);
  return i <= period ? i : 2 * period - i;
}

// Which element of an axis of n stands at position i of the padded one, which begins `before` elements earlier.
i64 source_of(std::string_view mode, i64 i, i64 n) {
  if (mode == "edge" || n == 1) return std::clamp<i64>(i, 0, n - 1);
  if (mode == "wrap") return ((i % n) + n) % n;
  if (mode == "reflect") return mirrored(i, n - 1);
  const auto in_pair = ((i % (2 * n)) + 2 * n) % (2 * n); // symmetric: the edge stands twice
  return in_pair < n ? in_pair : 2 * n - 1 - in_pair;
}

// pad(a, width, mode, constant): "constant" (0), "edge", "wrap", "reflect", "symmetric", as numpy.pad.
value pad(call_context&, std::span<value> args) {
  auto a = args[0].to_array();
  const auto& given = argument(args, 2);
  const auto mode = given.is_nil() ? std::string_view("constant") : given.to_string_view();
  constexpr std::string_view k_modes[] = {"constant", "edge", "wrap", "reflect", "symmetric"};
  if (std::find(std::begin(k_modes), std::end(k_modes), mode) == std::end(k_modes))
    throw value_error("unknown mode " + repr(given) +
                      ": use \"constant\", \"edge\", \"wrap\", \"reflect\" or \"symmetric\"");
  if (mode != "constant" && !argument(args, 3).is_nil())
    throw value_error("mode " + repr(given) + " takes no constant");
  const auto widths = margins(args[1], std::max<std::size_t>(a.rank(), 1));
  const auto constants = margins(argument(args, 3).is_nil() ? value(0) : args[3], a.rank());
  if (a.type() == dtype::int64)
    for (const auto& c : constants) {
      require_integer(as_number(c.before));
      require_integer(as_number(c.after));
    }
  for (const auto& w : widths)
    if (w.before.to_int64() < 0 || w.after.to_int64() < 0) throw value_error("margins must not be negative");
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    const auto before = widths[axis].before.to_int64(), after = widths[axis].after.to_int64(), n = a.shape()[axis];
    if (before == 0 && after == 0) continue;
    if (mode != "constant") {
      if (n == 0) throw value_error("an empty axis can only be padded with a constant");
      std::vector<i64> from;
      for (i64 i = -before; i < n + after; ++i) from.push_back(source_of(mode, i, n));
      a = gather_axis(a, axis, from);
      continue;
    }
    const auto block = [&](const value& x, i64 length) {
      extents shape = a.shape();
      shape[axis] = length;
      return array::broadcast(x.to_array().cast(a.type()), shape);
    };
    a = join({block(constants[axis].before, before), a, block(constants[axis].after, after)}, axis);
  }
  return detail::from_array(a.copy());
}

} // namespace

std::span<const primitive> padding_primitives() {
  static constexpr primitive k_table[] = {
      {"insert", "a, places, values, axis=", insert},
      {"pad", "a, width, mode=, constant=", pad},
  };
  return k_table;
}

} // namespace treadle::tree
