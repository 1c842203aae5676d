// exp, log, sin, ... and power over rows of float64, by SLEEF's vector functions. An element gets the same bits alone,
// in a row, at its end and in every vector width that has fused multiply-add (AVX2, AVX-512); machines without, from
// before 2013, have other bits in the last place, again the same in every width.
#pragma once

#include <cstdint>

// name, and its largest error: 1.0 or 3.5 units in the last place
#define TREADLE_VECTOR_FUNCTIONS(X)                                                                                    \
  X(exp, u10)                                                                                                          \
  X(exp2, u10)                                                                                                         \
  X(exp10, u10)                                                                                                        \
  X(expm1, u10)                                                                                                        \
  X(log, u10)                                                                                                          \
  X(log2, u10)                                                                                                         \
  X(log10, u10)                                                                                                        \
  X(sin, u10)                                                                                                          \
  X(cos, u10)                                                                                                          \
  X(tan, u35)                                                                                                          \
  X(tanh, u35)                                                                                                         \
  X(asin, u10)                                                                                                         \
  X(acos, u35)                                                                                                         \
  X(atan, u35)                                                                                                         \
  X(cbrt, u35)

namespace treadle::tree {

struct vector_functions {
  using function = void (*)(const double* x, double* out, std::int64_t count);
#define TREADLE_MEMBER(name, accuracy) function name;
  TREADLE_VECTOR_FUNCTIONS(TREADLE_MEMBER)
#undef TREADLE_MEMBER
  // step_x, step_y: 1 for rows, 0 for a number
  void (*pow)(const double* x, std::int64_t step_x, const double* y, std::int64_t step_y, double* out,
              std::int64_t count);
};

extern const vector_functions vector_functions_sse2, vector_functions_avx2, vector_functions_avx512;

const vector_functions& machine_vector_functions() noexcept;

} // namespace treadle::tree
