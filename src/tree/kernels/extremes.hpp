// The largest or smallest element of a row that lies in memory one after the other.
#pragma once

#include "value/dispatch.hpp"

#include <cstdint>

namespace treadle::tree {

// NaN when there is one. The lanes are as many as keep the processor busy; their number does not change with its
// vectors.
template <bool Largest, class T>
struct extreme_row {
  TREADLE_LOOP static void run(const T* x, std::int64_t count, T* result) {
    constexpr std::int64_t k_lanes = 32;
    T lanes[k_lanes];
    std::int64_t nan = 0, i = 0; // NaN compares with nothing: it is counted, and never becomes the best
    for (auto& lane : lanes) lane = *x;
    for (; i + k_lanes <= count; i += k_lanes)
      for (std::int64_t k = 0; k < k_lanes; ++k) {
        lanes[k] = better(x[i + k], lanes[k]);
        nan |= x[i + k] != x[i + k] ? 1 : 0;
      }
    for (; i < count; ++i) {
      lanes[0] = better(x[i], lanes[0]);
      nan |= x[i] != x[i] ? 1 : 0;
    }
    for (std::int64_t half = k_lanes / 2; half > 0; half /= 2)
      for (std::int64_t k = 0; k < half; ++k) lanes[k] = better(lanes[k], lanes[k + half]);
    *result = lanes[0];
    if (nan != 0)
      for (i = 0; *result == *result; ++i) *result = x[i];
  }
  TREADLE_LOOP static T better(T a, T b) noexcept { return (Largest ? a > b : a < b) ? a : b; }
};

} // namespace treadle::tree
