// The names the compiler knows besides primitives: special forms and constants.
#pragma once

#include "tree/nodes/forms.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace treadle::tree {

// How the operands of a form are evaluated, as far as the compiler must know.
enum class flow : std::uint8_t { values, statements, branches, loop, parallel };

struct form {
  std::string_view name;
  std::size_t least, most; // operands
  form_node::meaning meaning;
  flow operands = flow::values;
  form_node::calls called = form_node::calls::nothing;
};

inline constexpr std::size_t k_any_number = static_cast<std::size_t>(-1);

const form* find_form(std::string_view name) noexcept;

// Forms that bind names or end statements. They have rules of their own, and users cannot hide them.
bool is_binding_form(std::string_view name) noexcept;

// Every name that starts a special form, sorted.
std::vector<std::string_view> form_names();

std::optional<value> find_constant(std::string_view name);

// A primitive by its name, or by its name with the element type its result is converted to: __add__float.
std::pair<const primitive*, std::optional<dtype>> find_primitive_or_cast(std::string_view name) noexcept;

} // namespace treadle::tree
