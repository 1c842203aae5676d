// Rows of truth values about numbers of eight bytes. Comparing vectors gives masks of eight bytes, which packs with
// saturation narrow to bytes in their order. What compilers make of the plain loop has permutations after each step and
// takes a third longer.
#pragma once

#include "base/dispatch.hpp"

#include <cstdint>
#include <cstring>
#include <emmintrin.h>

namespace treadle::tree {

template <class T>
struct pair_type {}; // of numbers of eight bytes
template <>
struct pair_type<double> {
  typedef double type __attribute__((vector_size(16)));
};
template <>
struct pair_type<std::int64_t> {
  typedef std::int64_t type __attribute__((vector_size(16)));
};
template <class T>
using pair_of = typename pair_type<T>::type;

// The operands of a row, two elements at a time.
template <class T>
struct row_pairs {
  const T* first;
  TREADLE_LOOP pair_of<T> at(std::int64_t i) const noexcept {
    pair_of<T> two;
    std::memcpy(&two, first + i, sizeof two);
    return two;
  }
};
template <class T>
struct same_pairs {
  pair_of<T> both;
  explicit same_pairs(T x) noexcept : both{x, x} {}
  TREADLE_LOOP pair_of<T> at(std::int64_t) const noexcept { return both; }
};

// An operation whose result is a truth value and which has, beside `apply`, `mask`: the same for pairs of T.
template <class Op, class T>
concept has_mask = requires(pair_of<T> x) { Op::mask(x); } || requires(pair_of<T> x) { Op::mask(x, x); };

template <class Op, class... Operands>
TREADLE_LOOP __m128i masks_of_four(std::int64_t i, Operands... x) {
  const auto low = Op::mask(x.at(i)...), high = Op::mask(x.at(i + 2)...);
  return _mm_castps_si128(
      _mm_shuffle_ps(reinterpret_cast<__m128>(low), reinterpret_cast<__m128>(high), 0x88)); // the lower halves
}

// Writes results for as many elements as fill whole vectors of bytes, and returns how many these are.
template <class Op, class... Operands>
TREADLE_LOOP std::int64_t packed_tests(std::int64_t count, bool* out, Operands... x) {
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const auto low = _mm_packs_epi32(masks_of_four<Op>(i, x...), masks_of_four<Op>(i + 4, x...));
    const auto high = _mm_packs_epi32(masks_of_four<Op>(i + 8, x...), masks_of_four<Op>(i + 12, x...));
    const auto bytes = _mm_and_si128(_mm_packs_epi16(low, high), _mm_set1_epi8(1));
    std::memcpy(out + i, &bytes, sizeof bytes);
  }
  return i;
}

} // namespace treadle::tree
