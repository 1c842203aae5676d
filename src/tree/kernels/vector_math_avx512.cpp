// Compiled for AVX-512 (CMakeLists.txt); only called where the machine has it.
#include "tree/kernels/vector_math.hpp"

#include <sleef.h>

#define VECTOR __m512d
#define LANES 8
#define LOAD _mm512_loadu_pd
#define STORE _mm512_storeu_pd
#define FUNCTION(name) Sleef_finz_##name##d8_u10avx512f
#define TABLE vector_functions_avx512
#include "tree/kernels/vector_math_loops.inc"
