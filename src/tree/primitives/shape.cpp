// Shapes and types of arrays.
#include "tree/primitive.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

value transpose(call_context&, std::span<value> args) {
  if (args[0].is_scalar()) return args[0];
  const auto& axes = argument(args, 1);
  if (axes.is_nil()) return args[0].is_array() ? args[0].as_array().transpose() : args[0].to_array().transpose();
  const auto order = to_extents(axes);
  return args[0].to_array().transpose(std::span(order.begin(), order.rank()));
}

value reshape(call_context&, std::span<value> args) {
  if (args.size() == 2) return detail::from_array(args[0].to_array().reshape(to_extents(args[1])));
  extents shape;
  for (const auto& length : args.subspan(1)) shape.push_back(length.to_int64());
  return args[0].to_array().reshape(shape);
}

value flatten(call_context&, std::span<value> args) { return args[0].to_array().reshape({-1}); }

value expand_dims(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  extents shape = a.shape(), strides = a.strides();
  const auto axis = to_axis(args[1], a.rank() + 1);
  shape.insert(axis, 1);
  strides.insert(axis, 0);
  return a.view(0, shape, strides);
}

value squeeze(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  extents shape = a.shape(), strides = a.strides();
  const auto& axis = argument(args, 1);
  for (std::size_t i = a.rank(); i-- > 0;) {
    const bool chosen = axis.is_nil() ? shape[i] == 1 : to_axis(axis, a.rank()) == i;
    if (!chosen) continue;
    if (shape[i] != 1)
      throw value_error("axis " + std::to_string(i) + " has length " + std::to_string(shape[i]) + ", not 1");
    shape.erase(i);
    strides.erase(i);
  }
  return detail::from_array(a.view(0, shape, strides));
}

value broadcast_to(call_context&, std::span<value> args) {
  return array::broadcast(args[0].to_array(), to_extents(args[1]));
}

value swapaxes(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  extents axes = a.shape();
  for (std::size_t i = 0; i < a.rank(); ++i) axes[i] = static_cast<std::int64_t>(i);
  std::swap(axes[to_axis(args[1], a.rank())], axes[to_axis(args[2], a.rank())]);
  return a.transpose(std::span(axes.begin(), axes.rank()));
}

value flip(call_context&, std::span<value> args) {
  const auto a = args[0].to_array();
  extents strides = a.strides();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (!argument(args, 1).is_nil() && to_axis(args[1], a.rank()) != i) continue;
    if (a.shape()[i] > 0) offset += (a.shape()[i] - 1) * strides[i];
    strides[i] = -strides[i];
  }
  return a.view(offset, a.shape(), strides);
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
  if (args[0].is_array() && args[0].as_array().size() != 1) return args[0].as_array().cast(dtype::boolean);
  return args[0].to_bool();
}

value copy(call_context&, std::span<value> args) {
  return args[0].is_array() ? value(args[0].as_array().copy()) : args[0];
}

value dtype_name(call_context&, std::span<value> args) { return to_string(dtype_of_value(args[0])); }

} // namespace

std::span<const primitive> shape_primitives() {
  static constexpr primitive k_table[] = {
      {"transpose", "a, axes=", transpose},
      {"reshape", "a, shape, ...", reshape},
      {"flatten", "a", flatten},
      {"ravel", "a", flatten},
      {"expand_dims", "a, axis", expand_dims},
      {"squeeze", "a, axis=", squeeze},
      {"broadcast_to", "a, shape", broadcast_to},
      {"swapaxes", "a, axis1, axis2", swapaxes},
      {"flip", "a, axis=", flip},
      {"shape", "a, axis=", shape},
      {"size", "a, axis=", size},
      {"ndim", "a", ndim},
      {"astype", "a, dtype", astype},
      {"int", "x", convert<dtype::int64>},
      {"float", "x", convert<dtype::float64>},
      {"bool", "x", truth},
      {"copy", "a", copy},
      {"dtype", "a", dtype_name},
  };
  return k_table;
}

} // namespace treadle::tree
