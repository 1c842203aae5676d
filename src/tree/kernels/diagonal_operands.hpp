// Elementwise operations on diagonal matrices: where zeros stay zeros, on their vectors alone.
#pragma once

#include "tree/nodes/primitive.hpp"
#include "value/diagonal.hpp"

#include <bit>
#include <type_traits>

namespace treadle::tree {

// Two diagonal matrices of one shape, or one and a number.
inline bool are_diagonals(const value& a, const value& b) noexcept {
  if (!detail::is_diagonal(a)) return a.is_scalar() && detail::is_diagonal(b);
  return b.is_scalar() || (detail::is_diagonal(b) && a.as_array().shape() == b.as_array().shape());
}

// What such an operand has beside the diagonal.
template <class T>
T beside_diagonal(const value& v) {
  if (!v.is_scalar()) return T();
  if constexpr (std::is_same_v<T, double>)
    return v.to_float64();
  else
    return static_cast<T>(v.integer());
}

// The zero that is_diagonal() stands for: not -0.0.
template <class R>
bool is_plain_zero(R x) noexcept {
  if constexpr (std::is_same_v<R, double>)
    return std::bit_cast<std::uint64_t>(x) == 0;
  else
    return x == R();
}

// The diagonal matrix with the vector that `compute` makes of the vectors of `args`.
value diagonal_of_vectors(const call_context& context, std::span<const value> args, kernel compute);

} // namespace treadle::tree
