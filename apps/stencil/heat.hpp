#pragma once

#include <cstddef>

/// The heat equation on a ring of points, stepped explicitly as by HPX's 1d_stencil_4:
/// u'[i] = u[i] + c (u[i-1] - 2 u[i] + u[i+1]).
namespace stencil {

/// The coefficient k dt / dx^2: stable up to 1/2. Not a sum of few powers of two, and neither is the start: sums in
/// another order would be rounded differently, and be noticed.
inline constexpr double k_coefficient = 0.35;

/// One point, or a vector of them. Everything that computes calls this, and these files are compiled without
/// contraction to fused operations, so that all kernels give the same results to the last bit.
template <class Value>
[[gnu::always_inline]] inline void heat(Value& result, const Value& left, const Value& middle, const Value& right) {
  result = middle + k_coefficient * (left + -2.0 * middle + right); // -2: a multiplication, where Clang makes 2 x x + x
}

/// Point i at the start: a saw whose teeth are in step with no partition.
inline double initial_value(std::size_t i) noexcept { return 0.001 * static_cast<double>(i % 1009); }

} // namespace stencil
