#pragma once

#include "cholesky/tiled_matrix.hpp"

#include <cstddef>
#include <cstdint>

/// Matrices to factorise, how much work that is, and whether a factor is right.
namespace cholesky {

/// Floating-point operations for n rows, as usually counted, and tasks for a matrix of `tiles` tiles in a column.
double operations(double n) noexcept;
double tasks(double tiles) noexcept;

/// An element of a random symmetric positive definite matrix of n rows: from -1/2 to 1/2, and n more on the diagonal.
double random_element(std::uint64_t seed, std::size_t n, std::size_t row, std::size_t column) noexcept;
/// That matrix.
tiled_matrix random_matrix(const tiling& shape, std::uint64_t seed);

/// ||a - l l^T|| / ||a||, in the norm of Frobenius. As much work as a factorisation.
double residual(const tiled_matrix& a, const tiled_matrix& l);
/// The same for one random vector x, ||a x - l l^T x|| / (||a|| ||x||): far less work, and as large in all likelihood.
double residual_of_vector(const tiled_matrix& a, const tiled_matrix& l);
/// The largest that rounding explains, for n rows.
double residual_limit(std::size_t n) noexcept;

} // namespace cholesky
