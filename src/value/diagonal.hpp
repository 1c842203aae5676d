// Diagonal matrices as one array of their diagonal: the others of their elements are zero (+0.0 for float64), and none
// of the n x n exists before somebody asks for them through array::data() or a view (docs/design/diagonals.md).
#pragma once

#include <treadle/arrays/value.hpp>

namespace treadle::detail {

// Rows of a matrix whose zeros cost more than to do without them. At least 2: there must be elements beside the
// diagonal.
inline constexpr std::int64_t k_least_diagonal = 16;

inline bool is_diagonal(const array& a) noexcept { return a.object()->is_diagonal; }
inline bool is_diagonal(const value& v) noexcept { return v.is_array() && is_diagonal(v.as_array()); }

// A diagonal matrix that keeps this vector, which nobody may change from now on. value_error where its shape is
// impossible; an ordinary array where it is smaller than k_least_diagonal.
array diagonal_matrix(array vector);
// A view of one that is_diagonal(): the same numbers, its strides exchanged.
array transposed_diagonal(const array& a);
// The same as an ordinary array, with the same strides; its elements are not kept by `a`.
array dense(const array& a);
array dense(const array& vector, const extents& shape); // row-major
// The vector of one that is_diagonal().
const array& diagonal_of(const array& a) noexcept;

void destroy_diagonal(array_object* o) noexcept;

} // namespace treadle::detail
