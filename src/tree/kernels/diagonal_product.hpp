// Products with diagonal matrices scale rows or columns (docs/design/diagonals.md).
#pragma once

#include <treadle/arrays/value.hpp>

#include <optional>

namespace treadle::tree {

// The product of two arrays of T (double or int64) that fit, vectors or matrices, at least one of them a diagonal
// matrix: with the bits that the product of all elements has. Empty where only that product knows them: where something
// is infinite, not a number, or where the product of two numbers is too small for one.
template <class T>
std::optional<value> diagonal_product(const array& a, const array& b);

} // namespace treadle::tree
