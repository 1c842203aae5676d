// Compiled once per instruction set, with STENCIL_VARIANT as the name of the namespace. It must not call functions of
// other headers that are not always inlined: the linker keeps one copy of these, perhaps one for a better processor.
#include "stencil/kernel_variant.hpp"

#include "stencil/heat.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stencil::STENCIL_VARIANT {

namespace {

#if defined(__AVX512F__)
constexpr int k_lanes = 8;
constexpr int k_levels = 8; // 32 registers hold three vectors for each of 8 time steps
#elif defined(__AVX2__)
constexpr int k_lanes = 4;
constexpr int k_levels = 4;
#else
constexpr int k_lanes = 2;
constexpr int k_levels = 4;
#endif
constexpr std::ptrdiff_t k_line = 8;
using vec [[gnu::vector_size(k_lanes * sizeof(double))]] = double;

template <class T, T... i, class F>
[[gnu::always_inline]] inline void unrolled(std::integer_sequence<T, i...>, const F& f) {
  (f(std::integral_constant<T, i>{}), ...);
}
template <int n>
using up_to = std::make_integer_sequence<int, n>;

template <class Vector = vec>
[[gnu::always_inline]] inline Vector load(const double* from) {
  Vector v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class Vector>
[[gnu::always_inline]] inline void store(double* to, const Vector& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// Lane l of the result is lane l + by of v, around.
template <int by, int... l>
[[gnu::always_inline]] inline vec rotated(const vec& v, std::integer_sequence<int, l...>) {
  return __builtin_shufflevector(v, v, (l + by + k_lanes) % k_lanes...);
}

/// Exchanges the upper right and the lower left of every 2h x 2h square, of which a and b are rows h apart.
template <int h, int... l>
[[gnu::always_inline]] inline void exchange(vec& a, vec& b, std::integer_sequence<int, l...>) {
  const vec low = __builtin_shufflevector(a, b, ((l & h) != 0 ? k_lanes + l - h : l)...);
  b = __builtin_shufflevector(a, b, ((l & h) != 0 ? k_lanes + l : l + h)...);
  a = low;
}
template <int h = 1>
[[gnu::always_inline]] inline void transpose(vec (&rows)[k_lanes]) {
  if constexpr (h < k_lanes) {
    unrolled(up_to<k_lanes>{}, [&](auto r) {
      if constexpr ((r & h) == 0) exchange<h>(rows[r], rows[r + h], up_to<k_lanes>{});
    });
    transpose<2 * h>(rows);
  }
}

/// A tile in scratch memory: lane l of vector j is point l * length + j, so that the neighbours of a vector of points
/// are vectors too and a time step needs no shuffles. Before and after the vectors there is room for k_levels more.
struct shape {
  std::ptrdiff_t halo;   // points at each side, of which the steps use up one each
  std::ptrdiff_t points; // with both halos
  std::ptrdiff_t length; // vectors

  shape(std::size_t inner, std::size_t steps)
      : halo((static_cast<std::ptrdiff_t>(steps) + k_line - 1) / k_line * k_line),
        points(static_cast<std::ptrdiff_t>(inner) + 2 * halo),
        length((points + k_lanes * k_line - 1) / (k_lanes * k_line) * k_line) {}
};

void gather(const double* in, const shape& tile, vec* vectors) {
  for (std::ptrdiff_t j = 0; j < tile.length; j += k_lanes) {
    vec rows[k_lanes];
    unrolled(up_to<k_lanes>{}, [&](auto l) {
      const std::ptrdiff_t at = l * tile.length + j;
      rows[l] = at < tile.points ? load(in - tile.halo + at) : vec{};
    });
    transpose(rows);
    unrolled(up_to<k_lanes>{}, [&](auto l) { vectors[j + l] = rows[l]; });
  }
}

void scatter(const vec* vectors, const shape& tile, double* out) {
  for (std::ptrdiff_t j = 0; j < tile.length; j += k_lanes) {
    vec rows[k_lanes];
    unrolled(up_to<k_lanes>{}, [&](auto l) { rows[l] = vectors[j + l]; });
    transpose(rows);
    unrolled(up_to<k_lanes>{}, [&](auto l) {
      const std::ptrdiff_t at = l * tile.length + j;
      if (at >= tile.halo && at < tile.points - tile.halo) store(out + at - tile.halo, rows[l]);
    });
  }
}

/// Advances the tile by `levels` time steps in one pass over it, in place. All levels live in registers: level k works
/// on what level k - 1 made in the round before, so that the levels of a round are independent of each other. What lies
/// beyond the two ends of the tile is wrong, and spoils a point per step.
template <int levels>
void pass(vec* vectors, std::ptrdiff_t length) {
  for (std::ptrdiff_t i = 0; i < levels; ++i) {
    vectors[-1 - i] = rotated<-1>(vectors[length - 1 - i], up_to<k_lanes>{});
    vectors[length + i] = rotated<1>(vectors[i], up_to<k_lanes>{});
  }
  constexpr auto count = static_cast<std::size_t>(levels);
  vec left[count], middle[count], right[count], made[count];
  unrolled(up_to<levels>{}, [&](auto k) { left[k] = middle[k] = right[k] = vectors[-levels]; });
  const auto round = [&](const vec& next) __attribute__((always_inline)) {
    right[0] = next;
    unrolled(up_to<levels>{}, [&](auto k) {
      heat(made[k], left[k], middle[k], right[k]);
      left[k] = middle[k];
      middle[k] = right[k];
    });
    unrolled(up_to<levels - 1>{}, [&](auto k) { right[k + 1] = made[k]; });
  };
  // Vector i of the last level is made 2 * levels - 1 rounds after vector i came in.
  constexpr std::ptrdiff_t delay = 2 * levels - 1;
  for (std::ptrdiff_t i = -levels; i < delay; ++i) round(vectors[i < length + levels ? i : length + levels - 1]);
  for (std::ptrdiff_t i = delay; i < length + delay; ++i) {
    round(vectors[i < length + levels ? i : length + levels - 1]);
    vectors[i - delay] = made[levels - 1];
  }
}

/// At most 32 bytes at a time: of 64, every load of neighbours would cross a cache line, and rows from memory take a
/// quarter to a half longer.
void advance_row(const double* in, double* out, std::size_t points) noexcept {
  constexpr int lanes = k_lanes < 4 ? k_lanes : 4;
  using row_vec [[gnu::vector_size(lanes * sizeof(double))]] = double;
  std::size_t i = 0;
  const auto one = [&] { heat(out[i], in[i - 1], in[i], in[i + 1]); };
  for (; i < points && reinterpret_cast<std::uintptr_t>(out + i) % sizeof(row_vec) != 0; ++i) one();
  for (; i + lanes <= points; i += lanes) {
    row_vec made;
    heat(made, load<row_vec>(in + i - 1), load<row_vec>(in + i), load<row_vec>(in + i + 1));
    store(out + i, made);
  }
  for (; i < points; ++i) one();
}

void advance_tile(const double* in, double* out, std::size_t points, std::size_t steps, double* scratch) noexcept {
  const shape tile(points, steps);
  vec* const vectors = reinterpret_cast<vec*>(scratch) + k_levels;
  gather(in, tile, vectors);
  for (; steps >= k_levels; steps -= k_levels) pass<k_levels>(vectors, tile.length);
  unrolled(up_to<k_levels>{}, [&](auto k) {
    if constexpr (k > 0) {
      if (steps == k) pass<k>(vectors, tile.length);
    }
  });
  scatter(vectors, tile, out);
}

std::size_t tile_scratch(std::size_t points, std::size_t steps) noexcept {
  return static_cast<std::size_t>((shape(points, steps).length + 2 * k_levels) * k_lanes);
}

#define STENCIL_NAME_(variant) #variant
#define STENCIL_NAME(variant) STENCIL_NAME_(variant)

} // namespace

const kernel_variant kernels{STENCIL_NAME(STENCIL_VARIANT), advance_row, advance_tile, tile_scratch};

} // namespace stencil::STENCIL_VARIANT
