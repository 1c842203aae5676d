// Operators of the language, as opposed to functions of NumPy: a list is no array to them.
#pragma once

#include "tree/nodes/primitive.hpp"

namespace treadle::tree {

// Whether a primitive stands for an operator, such as + or -.
bool is_operator(std::string_view primitive) noexcept;

// Lists among the operands are joined by + and repeated by *, and compute with arrays as if they were some. value_error
// for all else.
void check_operands(std::string_view primitive, std::span<const value> args);

// Whether an operand is an array, or a number out of one.
inline bool any_of_array(std::span<const value> args) noexcept {
  bool found = false;
  for (const auto& a : args) found = found || a.is_array() || a.is_array_scalar();
  return found;
}

// A function of NumPy makes arrays of its arguments: numbers of the language count as such from now on. True where
// there are lists, too.
bool count_as_arrays(std::span<value> args); // value_error for text and dicts

// The object of a method or an attribute that arrays have, and numbers out of arrays, under that name of a primitive.
// Lists and dicts can be copied, too. value_error for all else.
void check_object(std::string_view primitive, const value& object);

} // namespace treadle::tree
