#include "tree/primitive.hpp"

#include <algorithm>

namespace treadle::tree {

signature::signature(std::string_view text) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto name = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (name == "...") {
      variadic = true;
    } else if (name.ends_with('=')) {
      parameters.push_back({name.substr(0, name.size() - 1), true});
    } else {
      parameters.push_back({name, false});
      ++required;
    }
  }
}

std::span<const primitive* const> all_primitives() {
  static const auto table = [] {
    std::vector<const primitive*> all;
    for (auto family :
         {arithmetic_primitives(), comparison_primitives(), unary_primitives(), reduction_primitives(),
          statistics_primitives(), creation_primitives(), shape_primitives(), joining_primitives(),
          slicing_primitives(), matrix_primitives(), solver_primitives(), sorting_primitives(), list_primitives(),
          random_primitives(), output_primitives(), information_primitives(), python_primitives()})
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

std::size_t to_axis(const value& v, std::size_t rank) {
  const auto axis = v.to_int64(), n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n)
    throw value_error("axis " + std::to_string(axis) + " is out of range for an array of " + std::to_string(rank) +
                      " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

extents to_extents(const value& v) {
  if (v.is_scalar()) return extents{v.to_int64()};
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
