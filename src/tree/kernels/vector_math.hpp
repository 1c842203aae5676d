// exp, log, sin, ... and power over rows of float64, by SLEEF's vector functions. An element gets the same bits alone,
// in a row, at its end and in every vector width that has fused multiply-add (AVX2, AVX-512); machines without, from
// before 2013, have other bits in the last place, again the same in every width.
#pragma once

#include <cstdint>

// Errors are at most 1.0 units in the last place.
#define TREADLE_VECTOR_FUNCTIONS(X)                                                                                    \
  X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(sin) X(cos) X(tan) X(tanh) X(asin) X(acos) X(atan) X(cbrt)

namespace treadle::tree {

struct vector_functions {
  using function = void (*)(const double* x, double* out, std::int64_t count);
#define TREADLE_MEMBER(name) function name;
  TREADLE_VECTOR_FUNCTIONS(TREADLE_MEMBER)
#undef TREADLE_MEMBER
  // step_x, step_y: 1 for rows, 0 for a number
  void (*pow)(const double* x, std::int64_t step_x, const double* y, std::int64_t step_y, double* out,
              std::int64_t count);
};

extern const vector_functions vector_functions_sse2, vector_functions_avx2, vector_functions_avx512;

const vector_functions& machine_vector_functions() noexcept;

} // namespace treadle::tree
