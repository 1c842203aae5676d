// Compiled for AVX2 with fused multiply-add (CMakeLists.txt); only called where the machine has them.
#include "tree/kernels/vector_math.hpp"

#include <sleef.h>

#define VECTOR __m256d
#define LANES 4
#define LOAD _mm256_loadu_pd
#define STORE _mm256_storeu_pd
#define FUNCTION(name) Sleef_finz_##name##d4_u10avx2
#define TABLE vector_functions_avx2
#include "tree/kernels/vector_math_loops.inc"
