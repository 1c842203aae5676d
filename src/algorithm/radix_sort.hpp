// Radix sort of numbers, the least significant digit first: a pass per digit of eight bits in which they differ. Of
// wide keys only the leading digits are passed, as many as tell random keys apart; insertion puts the few that are
// left.
#pragma once

#include "algorithm/number_keys.hpp"

#include <treadle/detail/slab.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace treadle::detail {

/// Up to this many keys stay in the cache with their copies, and the thread keeps their memory for the next sort.
inline constexpr std::uint32_t k_keys_in_cache = 1 << 16;

/// Sorts n keys, in which only the bits of `varying` differ, by their bits from `lowest` on. Returns where they are
/// then: there or in `other`. Calls look(), which may throw, before each pass.
template <class Key, class Look>
Key* sort_by_digits(Key* keys, Key* other, std::uint32_t n, Key varying, unsigned lowest, const Look& look) {
  constexpr unsigned k_bits = 8, k_end = sizeof(Key) * CHAR_BIT;
  const auto digit = [](auto bits, unsigned shift) { return static_cast<std::uint8_t>(bits >> shift); };
  const auto next_digit = [&](unsigned shift) {
    while (shift < k_end && digit(varying, shift) == 0) shift += k_bits;
    return shift;
  };
  // The front half goes to the front of the places of its digits and the back half, from the end, to their back: two
  // chains of updates, because one alone waits for itself where neighbours have the same digit.
  std::array<std::uint32_t, 1 << k_bits> front{}, back{}, counts_of_front{}, counts_of_back{};
  const std::uint32_t half = n <= k_keys_in_cache ? n / 2 : 0; // twice as many places written to need the cache
  unsigned shift = next_digit(lowest);
  if (shift >= k_end) return keys;
  for (std::uint32_t i = 0; i < half; ++i) {
    ++counts_of_front[digit(keys[i], shift)];
    ++counts_of_back[digit(keys[n - 1 - i], shift)];
  }
  for (std::uint32_t i = half; i < n - half; ++i) ++counts_of_front[digit(keys[i], shift)];
  while (shift < k_end) {
    look();
    std::uint32_t place = 0;
    for (std::size_t d = 0; d < front.size(); ++d) {
      front[d] = place;
      place += std::exchange(counts_of_front[d], 0) + std::exchange(counts_of_back[d], 0);
      back[d] = place;
    }
    const unsigned next = next_digit(shift + k_bits), counted = next >= k_end ? shift : next;
    const auto to_front = [&](Key key) {
      other[front[digit(key, shift)]++] = key;
      ++counts_of_front[digit(key, counted)];
    };
    const auto to_back = [&](Key key) {
      other[--back[digit(key, shift)]] = key;
      ++counts_of_back[digit(key, counted)];
    };
    for (std::uint32_t i = 0; i < half; ++i) {
      to_front(keys[i]);
      to_back(keys[n - 1 - i]);
    }
    for (std::uint32_t i = half; i < n - half; ++i) to_front(keys[i]);
    std::swap(keys, other);
    shift = next;
  }
  return keys;
}

template <class Key>
unsigned bit_width_of(Key bits) noexcept {
  if constexpr (std::is_same_v<Key, uint128>)
    return bits >> 64 != 0 ? 64 + bit_width_of(static_cast<std::uint64_t>(bits >> 64))
                           : bit_width_of(static_cast<std::uint64_t>(bits));
  else
    return static_cast<unsigned>(std::bit_width(bits));
}

/// Sorts n keys of which few are out of order. Gives up after n moves or somewhat more: false.
template <class Key>
bool insert_few(Key* keys, std::uint32_t n) {
  std::uint32_t left = n; // moves
  for (std::uint32_t i = 1; i < n; ++i) {
    const auto key = keys[i];
    std::uint32_t place = i;
    for (; place > 0 && key < keys[place - 1]; --place) keys[place] = keys[place - 1];
    keys[place] = key;
    if (i - place > left) return false;
    left -= i - place;
  }
  return true;
}

/// How many leading bits of n random keys are sorted by digits. Reals spend some on the few exponents that they have.
inline unsigned leading_bits(std::uint32_t n) noexcept {
  constexpr unsigned k_digit = 8, k_spare = 12;
  return (static_cast<unsigned>(std::bit_width(n)) + k_spare + k_digit - 1) / k_digit * k_digit;
}

/// Sorts n numbers. Throws std::bad_alloc without memory for two keys each, and what look() throws, before any is
/// moved.
template <class T, bool Descending, class Look>
void radix_sort(T* first, std::uint32_t n, const Look& look) {
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
    varying |= own[i] ^ own[0];
  }
  if constexpr (std::is_same_v<T, uint128>) { // lower halves that ascend already stay so where the upper ones are equal
    const auto lower = [](key k) { return static_cast<std::uint64_t>(k); };
    if (std::is_sorted(own, own + n, [&](key a, key b) { return lower(a) < lower(b); })) varying = varying >> 64 << 64;
  }
  const unsigned width = bit_width_of(varying), leading = leading_bits(n),
                 lowest = width > leading ? width - leading : 0;
  key* sorted = sort_by_digits(own, own + n, n, varying, lowest, look);
  if (lowest > 0 && !insert_few(sorted, n))
    sorted = sort_by_digits(sorted, sorted == own ? own + n : own, n, varying, 0, look);
  for (std::uint32_t i = 0; i < n; ++i) first[i] = keys::number(static_cast<key>(sorted[i] + least));
}

} // namespace treadle::detail
