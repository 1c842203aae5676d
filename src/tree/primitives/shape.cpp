// Shapes and types of arrays.
#include "tree/nodes/primitive.hpp"

#include "value/strided.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

value transpose(call_context&, std::span<value> args) {
  const auto& axes = argument(args, 1);
  if (axes.is_nil())
    return args[0].is_array() ? args[0].as_array().transpose() : detail::from_array(args[0].to_array().transpose());
  const auto order = to_extents(axes);
  return detail::from_array(args[0].to_array().transpose(std::span(order.begin(), order.rank())));
}

value reshape(call_context&, std::span<value> args) {
  if (args.size() == 2) return detail::from_array(args[0].to_array().reshape(to_extents(args[1])));
  extents shape;
  for (const auto& length : args.subspan(1)) shape.push_back(length.to_int64());
  return args[0].to_array().reshape(shape);
}

// (a, order): "C" goes along the last axis first, "F" along the first.
value flatten(call_context&, std::span<value> args) {
  const auto& order = argument(args, 1);
  if (order.is_nil() || order.to_string_view() == "C") return args[0].to_array().contiguous().reshape({-1});
  if (order.to_string_view() == "F") return args[0].to_array().transpose().contiguous().reshape({-1});
  throw value_error("unknown order " + repr(order) + ": use \"C\" or \"F\"");
}

value expand_dims(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  const auto& axis = args[1];
  const auto rank = a.rank() + (axis.is_list() ? axis.size() : 1);
  const auto added = axis.is_list() ? to_axes(axis, rank) : 1u << to_axis(axis, rank);
  extents shape = a.shape(), strides = a.strides();
  for (std::size_t i = 0; i < rank; ++i) {
    if (!(added >> i & 1u)) continue;
    shape.insert(i, 1);
    strides.insert(i, 0);
  }
  return detail::from_array(a.view(0, shape, strides));
}

value squeeze(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  extents shape = a.shape(), strides = a.strides();
  const auto& axis = argument(args, 1);
  const auto axes = to_axes(axis, a.rank());
  for (std::size_t i = a.rank(); i-- > 0;) {
    if (!(axes >> i & 1u) || (axis.is_nil() && shape[i] != 1)) continue;
    if (shape[i] != 1)
      throw value_error("axis " + std::to_string(i) + " has length " + std::to_string(shape[i]) + ", not 1");
    shape.erase(i);
    strides.erase(i);
  }
  return detail::from_array(a.view(0, shape, strides));
}

value broadcast_to(call_context&, std::span<value> args) {
  return detail::from_array(array::broadcast(args[0].to_array(), to_extents(args[1])));
}

value swapaxes(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  return detail::exchange_axes(a, to_axis(args[1], a.rank()), to_axis(args[2], a.rank()));
}

value reversed(const array& a, std::uint32_t axes) {
  extents strides = a.strides();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (!(axes >> i & 1u)) continue;
    if (a.shape()[i] > 0) offset += (a.shape()[i] - 1) * strides[i];
    strides[i] = -strides[i];
  }
  return detail::from_array(a.view(offset, a.shape(), strides));
}

value flip(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  const auto& axis = argument(args, 1);
  const bool one = !axis.is_nil() && !axis.is_list();
  return reversed(a, one ? 1u << to_axis(axis, a.rank()) : to_axes(axis, a.rank()));
}

template <std::size_t Axis>
value flip_axis(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  return reversed(a, 1u << to_axis(value(Axis), a.rank()));
}

value shape(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  if (!argument(args, 1).is_nil()) return a.shape()[to_axis(args[1], a.rank())];
  std::vector<value> lengths;
  for (auto length : a.shape()) lengths.emplace_back(length);
  return value::tuple(std::move(lengths));
}

value size(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  return argument(args, 1).is_nil() ? a.size() : a.shape()[to_axis(args[1], a.rank())];
}

value ndim(call_context&, std::span<value> args) { return args[0].to_array().rank(); }

value astype(call_context&, std::span<value> args) {
  const auto type = to_dtype(args[1], dtype::float64);
  if (args[0].is_array()) return args[0].as_array().cast(type); // an array also without axes
  return detail::from_array(args[0].to_array().cast(type));
}

template <dtype Type>
value convert(call_context&, std::span<value> args) {
  if (args[0].is_string())
    throw value_error("cannot convert the string " + repr(args[0]) + " to " + std::string(to_string(Type)));
  if constexpr (Type == dtype::int64)
    if (args[0].kind() == value_kind::float64 && !(std::fabs(args[0].real()) < 0x1p63))
      throw value_error("cannot convert " + repr(args[0]) + " to int64");
  return detail::from_array(args[0].to_array().cast(Type));
}

value truth(call_context&, std::span<value> args) {
  if (has_axes(args[0])) return args[0].to_array().cast(dtype::boolean);
  return args[0].to_bool();
}

// A list or dict holds the same items as its copy. A temporary that nobody else sees is its own copy.
value copy(call_context& context, std::span<value> args) {
  const auto& v = args[0];
  if (v.is_array()) {
    auto a = take_array(context, args, 0);
    return a.is_unique() && a.is_contiguous() ? a : a.copy();
  }
  if (v.is_dict()) return value::dict({v.entries().begin(), v.entries().end()});
  if (!v.is_list() || v.is_tuple()) return v;
  std::vector<value> items;
  for (std::size_t i = 0; i < v.size(); ++i) items.push_back(v.item(i));
  return value::list(std::move(items));
}

value dtype_name(call_context&, std::span<value> args) { return to_string(dtype_of_value(args[0])); }

} // namespace

std::span<const primitive> shape_primitives() {
  static constexpr primitive k_table[] = {
      {"transpose", "a, axes=", transpose},
      {"reshape", "a, shape, ...", reshape},
      {"flatten", "a, order=", flatten},
      {"ravel", "a, order=", flatten},
      {"expand_dims", "a, axis", expand_dims},
      {"squeeze", "a, axis=", squeeze},
      {"broadcast_to", "a, shape", broadcast_to},
      {"swapaxes", "a, axis1, axis2", swapaxes},
      {"flip", "a, axis=", flip},
      {"flipud", "a", flip_axis<0>},
      {"fliplr", "a", flip_axis<1>},
      {"shape", "a, axis=", shape, effect::none, number_rule::as_made},
      {"size", "a, axis=", size, effect::none, number_rule::as_made},
      {"ndim", "a", ndim, effect::none, number_rule::as_made},
      {"astype", "a, dtype", astype},
      {"int", "x", convert<dtype::int64>},
      {"float", "x", convert<dtype::float64>},
      {"bool", "x", truth},
      {"copy", "a", copy, effect::none, number_rule::as_made},
      {"dtype", "a", dtype_name},
  };
  return k_table;
}

} // namespace treadle::tree
