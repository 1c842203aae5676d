// The one place that includes CBLAS and LAPACKE. BLAS runs single-threaded: parallelism comes from tasks.
#pragma once

#include <cblas.h>
#include <lapacke.h>

#include <cstdint>

// A function of BLAS or LAPACK. In the OpenBLAS that comes with NumPy and SciPy their names begin differently.
#ifdef TREADLE_SCIPY_OPENBLAS
#define TREADLE_BLAS(name) scipy_##name
#else
#define TREADLE_BLAS(name) name
#endif

extern "C" __attribute__((weak)) void TREADLE_BLAS(openblas_set_num_threads)(int count);

namespace treadle::tree {

inline constexpr std::int64_t k_blas_limit = 2147483647; // its integers have 32 bits

// Call before BLAS or LAPACK; costs a load after the first time.
inline void prepare_blas() {
  static const bool k_ready = [] {
    if (TREADLE_BLAS(openblas_set_num_threads)) // absent from the reference implementation
      TREADLE_BLAS(openblas_set_num_threads)(1);
    return true;
  }();
  static_cast<void>(k_ready);
}

} // namespace treadle::tree
