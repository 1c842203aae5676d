// Radix sort of numbers, the least significant digit first: a pass per digit of eight bits in which they differ.
#pragma once

#include "algorithm/number_keys.hpp"

#include <treadle/detail/slab.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace treadle::detail {

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

/// So many keys and their copies stay in the cache; and up to so many, the thread keeps the memory for the next sort.
inline constexpr std::uint32_t k_keys_in_cache = 1 << 16;

/// Sorts n numbers. Throws std::bad_alloc without memory for two keys each, before any is moved.
template <class T, bool Descending>
void radix_sort(T* first, std::uint32_t n) {
  using keys = number_keys<T, Descending>;
  using key = typename keys::key;
  const std::size_t room = 2 * std::size_t{n};
  const slab_array<key> memory(n <= k_keys_in_cache ? std::bit_ceil(room) : room); // few sizes
  key* const own = memory.data();
  key least = 0, varying = 0;
  if constexpr (!std::is_same_v<T, uint128>) { // small numbers of either sign differ in few digits from the least
    least = keys::of(*first);
    for (std::uint32_t i = 1; i < n; ++i) least = std::min(least, keys::of(first[i]));
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    own[i] = static_cast<key>(keys::of(first[i]) - least);
    varying |= own[i];
  }
  if constexpr (std::is_same_v<T, uint128>) { // lower halves that ascend already stay so where the upper ones are equal
    const auto lower = [](key k) { return static_cast<std::uint64_t>(k); };
    if (std::is_sorted(own, own + n, [&](key a, key b) { return lower(a) < lower(b); })) varying = varying >> 64 << 64;
  }
  const key* sorted = sort_by_digits(own, own + n, n, varying);
  for (std::uint32_t i = 0; i < n; ++i) first[i] = keys::number(static_cast<key>(sorted[i] + least));
}

} // namespace treadle::detail
