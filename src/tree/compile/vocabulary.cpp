#include "tree/compile/vocabulary.hpp"

#include <algorithm>
#include <limits>

namespace treadle::tree {
namespace {

constexpr auto k_calls_first = form_node::calls::first_operand, k_calls_unknown = form_node::calls::unknown,
               k_in_order = form_node::calls::in_order;
constexpr form k_forms[] = {
    {"__and", 1, k_any_number, execute_and},
    {"__name", 1, 1, execute_name},
    {"__or", 1, k_any_number, execute_or},
    {"apply", 2, 2, execute_apply, flow::values, k_calls_first},
    {"async", 1, 1, execute_async, flow::parallel, k_in_order},
    {"block", 0, k_any_number, execute_block, flow::statements},
    {"enable_tracing", 1, 1, execute_enable_tracing, flow::values, k_in_order},
    {"filter", 2, 2, execute_filter, flow::values, k_calls_first},
    {"fmap", 2, k_any_number, execute_map, flow::values, k_calls_first},
    {"fold_left", 3, 3, execute_fold_left, flow::values, k_calls_first},
    {"fold_right", 3, 3, execute_fold_right, flow::values, k_calls_first},
    {"fromfunction", 2, 3, execute_from_function, flow::values, k_calls_first},
    {"for", 4, 4, execute_for, flow::loop},
    {"for_each", 2, 2, execute_for_each, flow::loop, k_calls_first},
    {"if", 2, 3, execute_if, flow::branches},
    {"parallel_block", 0, k_any_number, execute_parallel_block, flow::parallel},
    {"parallel_map", 2, k_any_number, execute_parallel_map, flow::parallel, k_calls_first},
    {"timer", 2, 2, execute_timer, flow::values, k_calls_unknown},
    {"while", 2, 2, execute_while, flow::loop},
};
constexpr std::string_view k_binding_forms[] = {"__append", "__arg",    "__change", "__update",
                                                "break",    "continue", "define",   "define_global",
                                                "for_in",   "lambda",   "return",   "store"};

} // namespace

const form* find_form(std::string_view name) noexcept {
  for (const auto& f : k_forms)
    if (f.name == name) return &f;
  return nullptr;
}

bool is_binding_form(std::string_view name) noexcept {
  return std::find(std::begin(k_binding_forms), std::end(k_binding_forms), name) != std::end(k_binding_forms);
}

std::vector<std::string_view> form_names() {
  std::vector<std::string_view> names(std::begin(k_binding_forms), std::end(k_binding_forms));
  for (const auto& f : k_forms) names.push_back(f.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<value> find_constant(std::string_view name) {
  constexpr double k_infinity = std::numeric_limits<double>::infinity();
  static const std::pair<std::string_view, value> k_constants[] = {
      {"nil", {}},
      {"true", true},
      {"false", false},
      {"inf", k_infinity},
      {"ninf", -k_infinity},
      {"nan", std::numeric_limits<double>::quiet_NaN()},
      {"NZERO", -0.0},
      {"PZERO", 0.0},
      {"euler", 2.71828182845904523536},
      {"euler_gamma", 0.57721566490153286061},
      {"pi", 3.14159265358979323846},
      {"int", "int64"},
      {"float", "float64"},
      {"bool", "bool"},
      {"newaxis", "newaxis"},
  };
  for (const auto& [known, v] : k_constants)
    if (known == name) return v;
  return {};
}

std::pair<const primitive*, std::optional<dtype>> find_primitive_or_cast(std::string_view name) noexcept {
  if (const auto* p = find_primitive(name)) return {p, {}};
  constexpr std::pair<std::string_view, dtype> k_suffixes[] = {
      {"__bool", dtype::boolean}, {"__int", dtype::int64}, {"__float", dtype::float64}};
  for (const auto& [suffix, type] : k_suffixes)
    if (name.ends_with(suffix)) return {find_primitive(name.substr(0, name.size() - suffix.size())), type};
  return {nullptr, {}};
}

} // namespace treadle::tree
