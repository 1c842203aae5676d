// Operators of the language, as opposed to functions of NumPy: a list is no array to them.
#pragma once

#include "tree/nodes/primitive.hpp"

namespace treadle::tree {

// Whether a primitive stands for an operator, such as + or -.
bool is_operator(std::string_view primitive) noexcept;

// Lists are joined by + and repeated by *, and compute with arrays as if they were some. value_error for all else.
void check_operands(std::string_view primitive, std::span<const value> args);

} // namespace treadle::tree
