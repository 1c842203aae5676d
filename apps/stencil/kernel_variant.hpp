#pragma once

#include <cstddef>
#include <vector>

namespace stencil {

/// What kernel_variant.cpp defines for one instruction set.
struct kernel_variant {
  const char* name;
  void (*advance_row)(const double* in, double* out, std::size_t points) noexcept;
  void (*advance_tile)(const double* in, double* out, std::size_t points, std::size_t steps, double* scratch) noexcept;
  std::size_t (*tile_scratch)(std::size_t points, std::size_t steps) noexcept;
};

namespace generic {
extern const kernel_variant kernels;
}
namespace avx2 {
extern const kernel_variant kernels;
}
namespace avx512 {
extern const kernel_variant kernels;
}

/// Those that this processor can run, the best first.
std::vector<const kernel_variant*> kernel_variants();

} // namespace stencil
