// The one place that includes CBLAS. BLAS runs single-threaded: parallelism comes from tasks.
#pragma once

#include <cblas.h>

#include <cstdint>

extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace treadle::tree {

inline constexpr std::int64_t k_blas_limit = 2147483647; // its integers have 32 bits

// Call before BLAS or LAPACK; costs a load after the first time.
inline void prepare_blas() {
  static const bool k_ready = [] {
    if (openblas_set_num_threads) openblas_set_num_threads(1); // absent from the reference implementation
    return true;
  }();
  static_cast<void>(k_ready);
}

} // namespace treadle::tree
