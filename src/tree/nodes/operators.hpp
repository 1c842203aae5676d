// Operators of the language, as opposed to functions of NumPy: a list is no array to them.
#pragma once

#include "tree/nodes/node.hpp"
#include "tree/nodes/primitive.hpp"

namespace treadle::tree {

// Whether a primitive stands for an operator, such as + or -.
bool is_operator(std::string_view primitive) noexcept;

// Lists among the operands are joined by + and repeated by *, and compute with arrays as if they were some. value_error
// for all else.
void check_operands(std::string_view primitive, std::span<const value> args);

inline node_effects effects_of(const primitive& p) noexcept {
  return {.ordered = p.effects != effect::none, .exchanges = p.effects == effect::exchange};
}

inline bool any_of_array(std::span<const value> args) noexcept {
  bool found = false;
  for (const auto& a : args) found = found || is_of_array(a);
  return found;
}

inline bool any_list(std::span<const value> args) noexcept {
  bool found = false;
  for (const auto& a : args) found = found || a.is_list();
  return found;
}

// The result of the primitive; a number is NumPy's or the language's by the primitive's rule.
[[gnu::always_inline]] inline value run_kernel(call_context& call, std::span<value> args) {
  const auto rule = call.self->numbers;
  const bool of_array = rule == number_rule::of_arrays ||
                        (rule == number_rule::as_operands && any_of_array(args)); // the kernel may consume them
  value v = call.self->compute(call, args);
  if (of_array && v.is_scalar()) v.set_array_scalar(true);
  if (!call.self->gives_tiles) v.set_tile(0); // it may be an argument
  return v;
}

// A function of NumPy makes arrays of its arguments: numbers of the language count as such from now on. True where
// there are lists, too.
bool count_as_arrays(std::span<value> args); // value_error for text and dicts

// The object of a method or an attribute that arrays have, and numbers out of arrays, under that name of a primitive.
// Lists and dicts can be copied, too. value_error for all else.
void check_object(std::string_view primitive, const value& object);

} // namespace treadle::tree
