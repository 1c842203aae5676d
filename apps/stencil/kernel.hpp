#pragma once

#include <cstddef>
#include <memory>
#include <new>

/// What computes: one time step of a row of points, or many of a tile in memory that stays in the cache. Both exist for
/// several instruction sets; the best one of the processor is taken.
namespace stencil {

/// Tiles, and what is added at their sides, are whole cache lines of points.
inline constexpr std::size_t k_line = 8;

constexpr std::size_t rounded_to_lines(std::size_t points) noexcept { return (points + k_line - 1) / k_line * k_line; }

struct free_aligned {
  void operator()(double* memory) const noexcept { ::operator delete[](memory, std::align_val_t{64}); }
};
/// Uninitialized memory that starts with a cache line.
using aligned_array = std::unique_ptr<double[], free_aligned>;
inline aligned_array make_aligned(std::size_t points) {
  return aligned_array(new (std::align_val_t{64}) double[points]);
}

/// out[i] = heat of in[i - 1], in[i], in[i + 1], for i in [0, points).
void advance_row(const double* in, double* out, std::size_t points) noexcept;

/// `points`, a multiple of k_line, from in[0, points) by `steps` time steps to out. Reads rounded_to_lines(steps) more
/// points of `in` at each side. `scratch` holds tile_scratch(points, steps) values and starts with a cache line.
void advance_tile(const double* in, double* out, std::size_t points, std::size_t steps, double* scratch) noexcept;
std::size_t tile_scratch(std::size_t points, std::size_t steps) noexcept;

/// "avx512", "avx2" or "generic".
const char* instruction_set() noexcept;

} // namespace stencil
