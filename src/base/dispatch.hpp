// Loops compiled for several vector widths; the machine's is chosen when the program runs. A loop is a struct with
//   static void run(...): marked TREADLE_LOOP, without lambdas, because those would not be compiled for the width.
// The elements get the same bits in every width: nothing is reassociated, and multiplications are never fused with
// additions (-ffp-contract=off for this library).
#pragma once

#include <cstdint>

#define TREADLE_LOOP __attribute__((always_inline)) inline

namespace treadle::detail {

// `or` and `and` without a branch: loops with branches are not made into vectors.
TREADLE_LOOP bool either(bool a, bool b) noexcept { return (static_cast<int>(a) | static_cast<int>(b)) != 0; }
TREADLE_LOOP bool both(bool a, bool b) noexcept { return (static_cast<int>(a) & static_cast<int>(b)) != 0; }

enum class vector_width : std::uint8_t { sse2, avx2, avx512 };

inline vector_width machine_width() noexcept {
  static const auto k_width = [] {
    __builtin_cpu_init();
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const bool half = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return wide && half ? vector_width::avx512 : half ? vector_width::avx2 : vector_width::sse2;
  }();
  return k_width;
}

template <class Loop, class... Args>
__attribute__((target("avx2"))) void run_in_avx2(Args... args) {
  Loop::run(args...);
}
template <class Loop, class... Args>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void run_in_avx512(Args... args) {
  Loop::run(args...);
}
template <class Loop, class... Args>
void run_in_sse2(Args... args) {
  Loop::run(args...);
}

template <class Loop, class... Args>
void run_in(vector_width width, Args... args) {
  switch (width) {
  case vector_width::avx512:
    return run_in_avx512<Loop>(args...);
  case vector_width::avx2:
    return run_in_avx2<Loop>(args...);
  default:
    return run_in_sse2<Loop>(args...);
  }
}

template <class Loop, class... Args>
void run_wide(Args... args) {
  run_in<Loop>(machine_width(), args...);
}

} // namespace treadle::detail
