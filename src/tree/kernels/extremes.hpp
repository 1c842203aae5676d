// The largest or smallest element of a row that lies in memory one after the other.
#pragma once

#include "base/dispatch.hpp"

#include <cstdint>

namespace treadle::tree {

// NaN when there is one. The lanes are as many as keep the processor busy; their number does not change with its
// vectors.
template <bool Largest, class T>
struct extreme_row {
  TREADLE_LOOP static void run(const T* x, std::int64_t count, T* result) {
    constexpr std::int64_t k_lanes = 32;
    T lanes[k_lanes];
    std::int64_t nan = 0; // NaN compares with nothing: it is counted, and never becomes the best
    for (auto& lane : lanes) lane = *x;
    if (count >= k_lanes) {
      const T* const last = x + count - k_lanes;
      for (const T* from = x;; from = from + k_lanes < last ? from + k_lanes : last) { // the last ones may come twice
        for (std::int64_t k = 0; k < k_lanes; ++k) {
          lanes[k] = better(from[k], lanes[k]);
          nan |= from[k] != from[k] ? 1 : 0;
        }
        if (from == last) break;
      }
    } else {
      for (std::int64_t k = 0; k < count; ++k) {
        lanes[k] = better(x[k], lanes[k]);
        nan |= x[k] != x[k] ? 1 : 0;
      }
    }
#pragma GCC unroll 8 // so that the lanes can stay in registers
    for (std::int64_t half = k_lanes / 2; half > 0; half /= 2)
      for (std::int64_t k = 0; k < half; ++k) lanes[k] = better(lanes[k], lanes[k + half]);
    *result = lanes[0];
    if (nan != 0)
      for (std::int64_t i = 0; *result == *result; ++i) *result = x[i];
  }
  TREADLE_LOOP static T better(T a, T b) noexcept { return (Largest ? a > b : a < b) ? a : b; }
};

} // namespace treadle::tree
