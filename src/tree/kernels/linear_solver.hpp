// Decompositions of matrices and what is solved with them. LU, with partial pivoting, in own loops for small matrices
// and by LAPACK above; the others by LAPACK.
#pragma once

#include <treadle/arrays/value.hpp>

namespace treadle::tree {

// These take square matrices of numbers; value_error for another shape or a matrix that is exactly singular.
array solve(const array& a, const array& b); // x with a x = b; b a vector or a matrix of right-hand sides
array inverse(const array& a);
double determinant(const array& a); // 0 for a singular matrix

// Symmetric matrices, of which only one triangle is read. solve_cholesky: value_error when it is not positive definite.
enum class triangle : char { upper = 'U', lower = 'L' };
array solve_cholesky(const array& a, const array& b, triangle read);
array solve_ldlt(const array& a, const array& b, triangle read);

// Conjugate gradients for a symmetric positive definite matrix and a vector, from 0 on, until the residual is at most
// `tolerance` of b's length. value_error when `iterations` do not reach that.
array solve_conjugate_gradient(const array& a, const array& b, double tolerance, std::int64_t iterations);

struct lu_parts {
  array permutation, lower, upper; // a = permutation lower upper
};
lu_parts decompose_lu(const array& a); // of any matrix

// Of a matrix or of each of a stack of them, largest first.
array singular_values(const array& a);

} // namespace treadle::tree
