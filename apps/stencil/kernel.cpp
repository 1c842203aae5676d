#include "stencil/kernel.hpp"

#include "stencil/kernel_variant.hpp"

namespace stencil {

std::vector<const kernel_variant*> kernel_variants() {
  std::vector<const kernel_variant*> usable;
#if defined(STENCIL_X86_VARIANTS)
  if (__builtin_cpu_supports("avx512f")) usable.push_back(&avx512::kernels);
  if (__builtin_cpu_supports("avx2")) usable.push_back(&avx2::kernels);
#endif
  usable.push_back(&generic::kernels);
  return usable;
}

namespace {

const kernel_variant& chosen() noexcept {
  static const kernel_variant& variant = *kernel_variants().front();
  return variant;
}

} // namespace

void advance_row(const double* in, double* out, std::size_t points) noexcept { chosen().advance_row(in, out, points); }
void advance_tile(const double* in, double* out, std::size_t points, std::size_t steps, double* scratch) noexcept {
  chosen().advance_tile(in, out, points, steps, scratch);
}
std::size_t tile_scratch(std::size_t points, std::size_t steps) noexcept {
  return chosen().tile_scratch(points, steps);
}
const char* instruction_set() noexcept { return chosen().name; }

} // namespace stencil
