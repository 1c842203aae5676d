// CBLAS and LAPACKE for the kernels. OpenBLAS runs on one thread inside of tasks: parallelism comes from these.
#pragma once

#include <cblas.h>
#include <lapacke.h>

// A function of BLAS or LAPACK. In the OpenBLAS that comes with NumPy and SciPy their names begin differently.
#ifdef TREADLE_SCIPY_OPENBLAS
#define CHOLESKY_BLAS(name) scipy_##name
#else
#define CHOLESKY_BLAS(name) name
#endif

// Absent from other implementations, which have no threads of their own.
extern "C" __attribute__((weak)) void CHOLESKY_BLAS(openblas_set_num_threads)(int count);
extern "C" __attribute__((weak)) char* CHOLESKY_BLAS(openblas_get_corename)();

namespace cholesky {

/// For the whole process; not while it computes.
inline void use_blas_threads(unsigned count) {
  if (CHOLESKY_BLAS(openblas_set_num_threads)) CHOLESKY_BLAS(openblas_set_num_threads)(static_cast<int>(count));
}

/// For which processor OpenBLAS has chosen its kernels, "unknown" for others.
inline const char* blas_kernels() {
  return CHOLESKY_BLAS(openblas_get_corename) ? CHOLESKY_BLAS(openblas_get_corename)() : "unknown";
}

} // namespace cholesky
