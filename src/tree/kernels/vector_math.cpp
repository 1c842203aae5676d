#include "tree/kernels/vector_math.hpp"

#include "base/dispatch.hpp"

#include <sleef.h>

#define VECTOR __m128d
#define LANES 2
#define LOAD _mm_loadu_pd
#define STORE _mm_storeu_pd
#define FUNCTION(name) Sleef_cinz_##name##d2_u10sse2
#define TABLE vector_functions_sse2
#include "tree/kernels/vector_math_loops.inc"

namespace treadle::tree {

const vector_functions& machine_vector_functions() noexcept {
  switch (detail::machine_width()) {
  case detail::vector_width::avx512:
    return vector_functions_avx512;
  case detail::vector_width::avx2:
    return vector_functions_avx2;
  default:
    return vector_functions_sse2;
  }
}

} // namespace treadle::tree
