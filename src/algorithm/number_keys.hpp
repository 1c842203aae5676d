// Integers in the order of numbers, for sorting without comparisons of them.
#pragma once

#include <treadle/algorithm/detail/ordering.hpp>

#include <bit>
#include <climits>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace treadle::detail {

template <std::floating_point T>
using integer_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Of a negative number, all bits but that of the sign: which makes it its own inverse.
template <std::signed_integral I>
constexpr I flip_negative(I bits) noexcept {
  return bits ^ ((bits >> (sizeof(I) * CHAR_BIT - 1)) & std::numeric_limits<I>::max());
}

template <class T>
struct unsigned_key {
  using type = std::make_unsigned_t<T>;
};
template <std::floating_point T>
struct unsigned_key<T> {
  using type = std::make_unsigned_t<integer_of<T>>;
};
template <>
struct unsigned_key<uint128> {
  using type = uint128;
};

/// Keys of numbers of type T: complements when the order is descending. Negative zero comes before zero, and NaN beyond
/// the infinities on the side of its sign.
template <class T, bool Descending>
struct number_keys {
  using key = typename unsigned_key<T>::type;
  static constexpr key k_sign = static_cast<key>(key{1} << (sizeof(key) * CHAR_BIT - 1));
  static constexpr key k_signed = std::is_signed_v<T> ? k_sign : key{0};
  static constexpr key k_flip = Descending ? static_cast<key>(~k_signed) : k_signed;

  static constexpr key of(T number) noexcept {
    if constexpr (std::floating_point<T>)
      return static_cast<key>(flip_negative(std::bit_cast<integer_of<T>>(number))) ^ k_flip;
    else
      return static_cast<key>(static_cast<key>(number) ^ k_flip);
  }
  static constexpr T number(key k) noexcept {
    if constexpr (std::floating_point<T>)
      return std::bit_cast<T>(flip_negative(static_cast<integer_of<T>>(k ^ k_flip)));
    else
      return static_cast<T>(k ^ k_flip);
  }
};

} // namespace treadle::detail
