// Radix sort of numbers, the least significant digit first: a pass per digit of eight bits in which they differ.
#pragma once

#include <treadle/algorithm/detail/integer_order.hpp>
#include <treadle/algorithm/detail/ordering.hpp>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace treadle::detail {

template <class T>
struct radix_key {
  using type = std::make_unsigned_t<T>;
};
template <std::floating_point T>
struct radix_key<T> {
  using type = std::make_unsigned_t<integer_of<T>>;
};
template <>
struct radix_key<uint128> {
  using type = uint128;
};

/// Unsigned integers in the order of numbers of type T. Those of opposite order are their complements.
template <class T, bool Descending>
struct number_keys {
  using key = typename radix_key<T>::type;
  static constexpr key k_sign = std::is_signed_v<T> ? key{1} << (sizeof(key) * CHAR_BIT - 1) : 0;
  static constexpr key k_flip = Descending ? static_cast<key>(~k_sign) : k_sign;

  static key of(T number) noexcept {
    if constexpr (std::floating_point<T>)
      return static_cast<key>(to_integer_order(number)) ^ k_flip;
    else
      return static_cast<key>(static_cast<key>(number) ^ k_flip);
  }
  static T number(key k) noexcept {
    if constexpr (std::floating_point<T>)
      return from_integer_order<T>(static_cast<integer_of<T>>(k ^ k_flip));
    else
      return static_cast<T>(k ^ k_flip);
  }
};

/// Sorts n keys, in which only the bits of `varying` differ. Returns where they are then: there or in `other`.
template <class Key>
Key* sort_by_digits(Key* keys, Key* other, std::uint32_t n, Key varying) {
  constexpr unsigned k_bits = 8, k_end = sizeof(Key) * CHAR_BIT;
  const auto digit = [](auto bits, unsigned shift) { return static_cast<std::uint8_t>(bits >> shift); };
  const auto next_digit = [&](unsigned shift) {
    while (shift < k_end && digit(varying, shift) == 0) shift += k_bits;
    return shift;
  };
  std::array<std::uint32_t, 1 << k_bits> places{}, counts;
  unsigned shift = next_digit(0);
  if (shift == k_end) return keys;
  for (std::uint32_t i = 0; i < n; ++i) ++places[digit(keys[i], shift)];
  while (shift < k_end) {
    std::uint32_t place = 0;
    for (auto& count : places) place += std::exchange(count, place);
    const unsigned next = next_digit(shift + k_bits), counted = next == k_end ? shift : next;
    counts.fill(0);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto key = keys[i];
      other[places[digit(key, shift)]++] = key;
      ++counts[digit(key, counted)];
    }
    std::swap(keys, other);
    std::swap(places, counts);
    shift = next;
  }
  return keys;
}

/// Sorts n numbers; false when there is no memory for two keys each.
template <class T, bool Descending>
bool radix_sort(T* first, std::uint32_t n) {
  using keys = number_keys<T, Descending>;
  using key = typename keys::key;
  const std::unique_ptr<key[]> memory(new (std::nothrow) key[2 * std::size_t{n}]);
  if (!memory) return false;
  key least = 0, varying = 0;
  if constexpr (sizeof(T) <= sizeof(std::uint64_t)) { // small numbers of either sign differ in few digits from the least
    least = keys::of(*first);
    for (std::uint32_t i = 1; i < n; ++i) least = std::min(least, keys::of(first[i]));
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    memory[i] = static_cast<key>(keys::of(first[i]) - least);
    varying |= memory[i];
  }
  const key* sorted = sort_by_digits(memory.get(), memory.get() + n, n, varying);
  for (std::uint32_t i = 0; i < n; ++i) first[i] = keys::number(static_cast<key>(sorted[i] + least));
  return true;
}

} // namespace treadle::detail
