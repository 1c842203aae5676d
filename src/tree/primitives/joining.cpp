// Putting arrays together and repeating them.
#include "tree/kernels/joining.hpp"

#include "tree/nodes/primitive.hpp"

#include "value/strided.hpp"

#include <algorithm>
#include <cstring>

namespace treadle::tree {
namespace {

using arrays = std::vector<array>;

// The parts of hstack(list(a, b)), hstack('(a, b)) or hstack(a, b); an array alone stands for its rows.
arrays parts_of(std::span<const value> args) {
  arrays parts;
  if (args.size() == 1) {
    if (!has_axes(args[0])) throw value_error(error_kind::type, "expected arrays to join, found " + repr(args[0]));
    for (std::size_t i = 0, n = args[0].size(); i < n; ++i) parts.push_back(args[0].item(i).to_array());
  } else {
    for (const auto& a : args) parts.push_back(a.to_array());
  }
  if (parts.empty()) throw value_error("needs at least one array");
  return parts;
}

// The parts in the element type that was asked for; as in NumPy only a wider one.
void convert(arrays& parts, const value& type) {
  if (type.is_nil()) return;
  const auto wanted = to_dtype(type, dtype::float64);
  for (auto& p : parts) {
    if (p.type() > wanted)
      throw value_error("cannot join arrays of " + std::string(to_string(p.type())) + " into one of " +
                        std::string(to_string(wanted)) + ": convert them first");
    p = p.cast(wanted);
  }
}

// hstack(parts..., dtype), where the type may be missing.
arrays parts_and_type(std::span<const value> args) {
  const bool typed = args.size() > 1 && (args.back().is_string() || args.back().is_nil());
  auto parts = parts_of(args.first(args.size() - (typed ? 1 : 0)));
  if (typed) convert(parts, args.back());
  return parts;
}

} // namespace

array join(const std::vector<array>& parts, std::size_t axis) {
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

array gather_axis(const array& source, std::size_t axis, const std::vector<std::int64_t>& from) {
  const auto a = source.contiguous();
  extents shape = a.shape();
  shape[axis] = static_cast<std::int64_t>(from.size());
  auto result = array::uninitialized(a.type(), shape);
  const auto bytes = static_cast<std::int64_t>(item_bytes(a.type()));
  const auto part = a.strides()[axis] * bytes, block = part * a.shape()[axis];
  auto* out = static_cast<std::byte*>(result.object()->data);
  const auto* in = static_cast<const std::byte*>(a.raw_data());
  struct run { // of parts one after the other
    std::int64_t first, bytes;
  };
  std::vector<run> runs;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (k > 0 && from[k] == from[k - 1] + 1)
      runs.back().bytes += part;
    else
      runs.push_back({from[k] * part, part});
  }
  for (const auto* const end = out + result.size() * bytes; out != end; in += block)
    for (const auto& r : runs) {
      std::memcpy(out, in + r.first, static_cast<std::size_t>(r.bytes));
      out += r.bytes;
    }
  return result;
}

namespace {

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

value concatenate(call_context&, std::span<value> args) { // (arrays, axis = 0, dtype); axis nil: of all elements
  auto parts = parts_of(args.first(1));
  convert(parts, argument(args, 2));
  if (args.size() > 1 && args[1].is_nil())
    for (auto& p : parts) p = p.reshape({-1});
  if (parts.front().rank() == 0) throw value_error("scalars cannot be concatenated");
  return join(parts, argument(args, 1).is_nil() ? 0 : to_axis(args[1], parts.front().rank()));
}

value stack(call_context&, std::span<value> args) { // (arrays, axis = 0, dtype)
  auto parts = parts_of(args.first(1));
  convert(parts, argument(args, 2));
  const auto axis = args.size() < 2 ? 0 : to_axis(args[1], parts.front().rank() + 1);
  for (auto& p : parts) p = with_axis(p, std::min(axis, p.rank()));
  return join(parts, axis);
}

value hstack(call_context&, std::span<value> args) {
  auto parts = parts_and_type(args);
  for (auto& p : parts) p = at_least(p, 1, true);
  return join(parts, parts.front().rank() == 1 ? 0 : 1);
}

value vstack(call_context&, std::span<value> args) {
  auto parts = parts_and_type(args);
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

value append(call_context&, std::span<value> args) { // to a list, or as numpy.append (a, x, axis)
  if (args[0].is_list()) {
    value list = args[0];
    detail::mutable_items(list).push_back(args[1]);
    return list;
  }
  const auto a = args[0].to_array(), b = args[1].to_array();
  if (argument(args, 2).is_nil()) return join({a.reshape({-1}), b.reshape({-1})}, 0);
  return join({a, b}, to_axis(args[2], a.rank()));
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

array repeat_elements(const array& a, std::int64_t count) {
  auto result = array::uninitialized(a.type(), {a.size() * count});
  detail::visit_dtype(a.type(), [&](auto* tag) {
    using T = detail::element_of<decltype(tag)>;
    auto* out = static_cast<T*>(result.object()->data);
    for (std::int64_t i = 0, n = a.size(); i < n; ++i, out += count) std::fill_n(out, count, a.data<T>()[i]);
  });
  return result;
}

// repeat(a, counts, axis): each element `counts` times, or each as often as its own count says.
value repeat(call_context&, std::span<value> args) {
  auto a = args[0].to_array();
  auto counts = args[1].to_array();
  if (counts.type() == dtype::float64 && counts.size() > 0) throw value_error("repetitions must be integers");
  counts = counts.cast(dtype::int64).contiguous();
  std::size_t axis = 0;
  if (argument(args, 2).is_nil() || a.rank() == 0) a = a.reshape({-1});
  if (!argument(args, 2).is_nil()) axis = to_axis(args[2], a.rank());
  const auto n = a.shape()[axis];
  if (counts.rank() > 1 || (counts.size() != 1 && counts.size() != n))
    throw value_error("repetitions of shape " + to_string(counts.shape()) + " do not fit an axis of length " +
                      std::to_string(n));
  const auto* count = counts.data<std::int64_t>();
  for (std::int64_t i = 0; i < counts.size(); ++i)
    if (count[i] < 0) throw value_error("repetitions must not be negative");
  if (counts.size() == 1) {
    extents shape = a.shape(), strides = a.strides(), result_shape = a.shape();
    result_shape[axis] *= *count;
    if (a.rank() == 1 && a.is_contiguous()) return repeat_elements(a, *count);
    if (a.rank() < k_max_rank) { // else no axis is left for the repetitions
      shape.insert(axis + 1, *count);
      strides.insert(axis + 1, 0);
      return a.view(0, shape, strides).copy().reshape(result_shape);
    }
  }
  std::vector<std::int64_t> from;
  for (std::int64_t i = 0; i < n; ++i)
    from.insert(from.end(), static_cast<std::size_t>(count[counts.size() == 1 ? 0 : i]), i);
  return gather_axis(a, axis, from);
}

} // namespace

std::span<const primitive> joining_primitives() {
  static constexpr primitive k_table[] = {
      {"concatenate", "arrays, axis=0, dtype=", concatenate},
      {"stack", "arrays, axis=0, dtype=", stack},
      {"hstack", "arrays, ...", hstack},
      {"vstack", "arrays, ...", vstack},
      {"dstack", "arrays, ...", dstack},
      {"column_stack", "arrays, ...", column_stack},
      {"append", "a, x, axis=", append},
      {"tile", "a, counts", tile},
      {"repeat", "a, counts, axis=", repeat},
  };
  return k_table;
}

} // namespace treadle::tree
