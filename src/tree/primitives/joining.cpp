// Putting arrays together and repeating them.
#include "tree/primitive.hpp"

#include "physl/value/strided.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

using arrays = std::vector<array>;

// The parts of hstack(list(a, b)), hstack('(a, b)) or hstack(a, b).
arrays parts_of(std::span<const value> args) {
  arrays parts;
  if (args.size() == 1 && args[0].is_list()) {
    for (std::size_t i = 0; i < args[0].size(); ++i) parts.push_back(args[0].item(i).to_array());
  } else {
    for (const auto& a : args) parts.push_back(a.to_array());
  }
  if (parts.empty()) throw value_error("needs at least one array");
  return parts;
}

array join(const arrays& parts, std::size_t axis) {
  extents shape = parts.front().shape();
  auto type = dtype::boolean;
  std::int64_t length = 0;
  for (const auto& p : parts) {
    extents other = p.shape();
    if (other.rank() == shape.rank()) other[axis] = shape[axis];
    if (other != shape)
      throw value_error("arrays of shapes " + to_string(parts.front().shape()) + " and " + to_string(p.shape()) +
                        " cannot be joined along axis " + std::to_string(axis));
    length += p.shape()[axis];
    type = std::max(type, p.type());
  }
  shape[axis] = length;
  auto result = array::uninitialized(type, shape);
  auto* out = static_cast<std::byte*>(result.mutable_raw_data());
  for (const auto& p : parts) {
    detail::copy_elements(p, type, result.strides(), out);
    out += p.shape()[axis] * result.strides()[axis] * static_cast<std::int64_t>(item_bytes(type));
  }
  return result;
}

array with_axis(const array& a, std::size_t axis) { // a new axis of length 1
  extents shape = a.shape(), strides = a.strides();
  shape.insert(axis, 1);
  strides.insert(axis, 0);
  return a.view(0, shape, strides);
}

array at_least(array a, std::size_t rank, bool in_front) {
  while (a.rank() < rank) a = with_axis(a, in_front ? 0 : a.rank());
  return a;
}

value concatenate(call_context&, std::span<value> args) { // (arrays, axis)
  const auto parts = parts_of(args.first(1));
  if (parts.front().rank() == 0) throw value_error("scalars cannot be concatenated");
  return join(parts, argument(args, 1).is_nil() ? 0 : to_axis(args[1], parts.front().rank()));
}

value stack(call_context&, std::span<value> args) { // (arrays, axis)
  auto parts = parts_of(args.first(1));
  const auto axis = argument(args, 1).is_nil() ? 0 : to_axis(args[1], parts.front().rank() + 1);
  for (auto& p : parts) p = with_axis(p, std::min(axis, p.rank()));
  return join(parts, axis);
}

value hstack(call_context&, std::span<value> args) {
  auto parts = parts_of(args);
  for (auto& p : parts) p = at_least(p, 1, true);
  return join(parts, parts.front().rank() == 1 ? 0 : 1);
}

value vstack(call_context&, std::span<value> args) {
  auto parts = parts_of(args);
  for (auto& p : parts) p = at_least(p, 2, true);
  return join(parts, 0);
}

value dstack(call_context&, std::span<value> args) {
  auto parts = parts_of(args);
  for (auto& p : parts) p = at_least(at_least(p, 2, true), 3, false);
  return join(parts, 2);
}

value column_stack(call_context&, std::span<value> args) {
  auto parts = parts_of(args);
  for (auto& p : parts) p = at_least(p, 2, false);
  return join(parts, 1);
}

value append(call_context&, std::span<value> args) { // to a list, or as numpy.append
  if (args[0].is_list()) {
    value list = args[0];
    detail::mutable_items(list).push_back(args[1]);
    return list;
  }
  const auto a = args[0].to_array(), b = args[1].to_array();
  return join({a.reshape({-1}), b.reshape({-1})}, 0);
}

value tile(call_context&, std::span<value> args) {
  auto a = args[0].to_array();
  auto counts = to_extents(args[1]);
  while (counts.rank() < a.rank()) counts.insert(0, 1);
  a = at_least(a, counts.rank(), true);
  for (std::size_t axis = 0; axis < counts.rank(); ++axis) {
    if (counts[axis] < 0) throw value_error("repetitions must not be negative");
    extents empty = a.shape();
    empty[axis] = 0;
    a = counts[axis] == 0 ? array::zeros(a.type(), empty)
                          : join(arrays(static_cast<std::size_t>(counts[axis]), a), axis);
  }
  return a;
}

value repeat(call_context&, std::span<value> args) { // (a, count, axis), each element `count` times
  auto a = args[0].to_array();
  const auto count = args[1].to_int64();
  if (count < 0) throw value_error("repetitions must not be negative");
  std::size_t axis = 0;
  if (argument(args, 2).is_nil())
    a = a.reshape({-1});
  else
    axis = to_axis(args[2], a.rank());
  extents shape = a.shape(), strides = a.strides();
  shape.insert(axis + 1, count);
  strides.insert(axis + 1, 0);
  auto result_shape = a.shape();
  result_shape[axis] *= count;
  return a.view(0, shape, strides).copy().reshape(result_shape);
}

} // namespace

std::span<const primitive> joining_primitives() {
  static constexpr primitive k_table[] = {
      {"concatenate", "arrays, axis=", concatenate},
      {"stack", "arrays, axis=", stack},
      {"hstack", "arrays, ...", hstack},
      {"vstack", "arrays, ...", vstack},
      {"dstack", "arrays, ...", dstack},
      {"column_stack", "arrays, ...", column_stack},
      {"append", "a, x", append},
      {"tile", "a, counts", tile},
      {"repeat", "a, count, axis=", repeat},
  };
  return k_table;
}

} // namespace treadle::tree
