#include "tree/nodes/primitive.hpp"

#include <algorithm>
#include <charconv>

namespace treadle::tree {

signature::signature(std::string_view text) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto name = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (name == "...") {
      variadic = true;
    } else if (const auto equals = name.find('='); equals != std::string_view::npos) {
      const auto number = name.substr(equals + 1);
      std::int64_t otherwise = 0;
      const bool given = std::from_chars(number.data(), number.data() + number.size(), otherwise).ec == std::errc();
      parameters.push_back({name.substr(0, equals), true, given ? value(otherwise) : value()});
    } else {
      parameters.push_back({name, false, {}});
      ++required;
    }
  }
}

std::span<const primitive* const> all_primitives() {
  static const auto table = [] {
    std::vector<const primitive*> all;
    for (auto family :
         {arithmetic_primitives(),  comparison_primitives(),  unary_primitives(),   transcendental_primitives(),
          reduction_primitives(),   statistics_primitives(),  norm_primitives(),    creation_primitives(),
          shape_primitives(),       joining_primitives(),     padding_primitives(), slicing_primitives(),
          matrix_primitives(),      solver_primitives(),      sorting_primitives(), list_primitives(),
          random_primitives(),      output_primitives(),      format_primitives(),  information_primitives(),
          distributed_primitives(), convolution_primitives(), python_primitives()})
      for (const auto& p : family) all.push_back(&p);
    std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; });
    return all;
  }();
  return table;
}

const primitive* find_primitive(std::string_view name) noexcept {
  const auto all = all_primitives();
  const auto found = std::lower_bound(all.begin(), all.end(), name, [](auto* p, auto n) { return p->name < n; });
  return found != all.end() && (*found)->name == name ? *found : nullptr;
}

value call_primitive(std::string_view name, const call_context& context, std::vector<value> args) {
  const auto* p = find_primitive(name);
  call_context inner{p, context.services, 0};
  return p->compute(inner, args);
}

array take_array(const call_context& context, std::span<value> args, std::size_t i) {
  if (!args[i].is_array()) return args[i].to_array();
  if (!context.owns(i)) return args[i].as_array();
  auto* object = static_cast<detail::array_object*>(args[i].object());
  args[i].forget();
  return array::adopt(object);
}

dtype to_dtype(const value& v, dtype otherwise) {
  if (v.is_nil()) return otherwise;
  const auto name = v.is_string() ? v.to_string_view() : std::string_view();
  if (name == "bool") return dtype::boolean;
  if (name == "int" || name == "int64") return dtype::int64;
  if (name == "float" || name == "float64") return dtype::float64;
  throw value_error("unknown dtype " + repr(v) + ": use bool, int64 or float64");
}

void require_integer(const value& number) {
  if (number.kind() != value_kind::float64) return;
  const double x = number.real();
  if (x != x) throw value_error("cannot convert nan to int64");
  if (!(x >= -0x1p63 && x < 0x1p63))
    throw value_error(error_kind::overflow, "cannot convert " + repr(number) + " to int64");
}

namespace {

void require_integers(const value& v) { // no deeper than an array has axes
  if (!v.is_list()) return require_integer(v);
  for (std::size_t i = 0; i < v.size(); ++i) require_integers(v.item(i));
}

} // namespace

array to_array_of(const value& v, dtype type) {
  const auto a = v.to_array();
  if (type == dtype::int64 && a.type() == dtype::float64 && !is_of_array(v)) require_integers(v);
  return a.cast(type);
}

std::size_t to_axis(const value& v, std::size_t rank) {
  if (v.kind() == value_kind::boolean) throw value_error(error_kind::type, "an axis is an integer, not " + repr(v));
  const auto axis = v.to_int64(), n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n)
    throw value_error(error_kind::axis, "axis " + std::to_string(axis) + " is out of range for an array of " +
                                            std::to_string(rank) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

std::int64_t to_diagonal(const value& v, const extents& shape) {
  constexpr std::int64_t k_most = std::int64_t{1} << 31;
  const auto k = v.is_nil() ? 0 : v.to_int64();
  if (shape.rank() == 2) return std::clamp(k, -shape[0], shape[1]);
  if (k < -k_most || k > k_most) throw value_error("diagonal " + std::to_string(k) + " is too far from the main one");
  return k;
}

std::uint32_t to_axes(const value& v, std::size_t rank) {
  if (v.is_nil()) return (1u << rank) - 1;
  if (!v.is_list()) {
    const bool of_scalar = rank == 0 && v.kind() != value_kind::boolean && (v.to_int64() == 0 || v.to_int64() == -1);
    return of_scalar ? 0 : 1u << to_axis(v, rank);
  }
  std::uint32_t axes = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto bit = 1u << to_axis(v.item(i), rank);
    if (axes & bit) throw value_error("axis " + repr(v.item(i)) + " is given twice");
    axes |= bit;
  }
  return axes;
}

value as_number(const value& v) {
  return v.is_array() && v.as_array().rank() == 0 ? detail::element(v.as_array(), 0) : v;
}

bool has_axes(const value& v) noexcept { return v.is_list() || (v.is_array() && v.as_array().rank() > 0); }

extents to_extents(const value& v) {
  if (const auto length = as_number(v); length.is_scalar()) {
    if (length.kind() == value_kind::boolean)
      throw value_error(error_kind::type, "a shape is made of integers, not " + repr(length));
    return extents{length.to_int64()};
  }
  extents shape;
  for (std::size_t i = 0, n = v.size(); i < n; ++i) shape.push_back(v.item(i).to_int64());
  return shape;
}

dtype dtype_of_value(const value& v) {
  switch (v.kind()) {
  case value_kind::boolean:
    return dtype::boolean;
  case value_kind::int64:
    return dtype::int64;
  case value_kind::float64:
    return dtype::float64;
  case value_kind::array:
    return v.as_array().type();
  default:
    return v.to_array().type();
  }
}

} // namespace treadle::tree
