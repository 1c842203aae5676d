// LU decomposition with partial pivoting: own loops for small matrices, LAPACK above.
#pragma once

#include <treadle/value.hpp>

namespace treadle::tree {

// All take square matrices of numbers; value_error for another shape or a matrix that is exactly singular.
array solve(const array& a, const array& b); // x with a x = b; b a vector or a matrix of right-hand sides
array inverse(const array& a);
double determinant(const array& a); // 0 for a singular matrix

} // namespace treadle::tree
