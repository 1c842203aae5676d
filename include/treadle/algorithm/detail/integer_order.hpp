#pragma once

#include <bit>
#include <climits>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace treadle::detail {

/// Floating-point numbers as integers of the same order: negative zero before zero, NaN beyond the infinities on the
/// side of its sign.
template <std::floating_point T>
using integer_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Of a negative number, all bits but that of the sign: which makes it its own inverse.
template <std::signed_integral I>
constexpr I flip_negative(I bits) noexcept {
  return bits ^ ((bits >> (sizeof(I) * CHAR_BIT - 1)) & std::numeric_limits<I>::max());
}

template <std::floating_point T>
constexpr integer_of<T> to_integer_order(T x) noexcept {
  return flip_negative(std::bit_cast<integer_of<T>>(x));
}

template <std::floating_point T>
constexpr T from_integer_order(integer_of<T> x) noexcept {
  return std::bit_cast<T>(flip_negative(x));
}

} // namespace treadle::detail
