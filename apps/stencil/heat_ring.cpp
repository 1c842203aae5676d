#include "stencil/heat_ring.hpp"

#include "stencil/heat.hpp"
#include "stencil/partitions.hpp"

#include <treadle/for_loop.hpp>

#include <algorithm>
#include <utility>

namespace stencil {

namespace {

/// Memory of the calling thread for one tile; it stays, because new pages cost more than the tile. No task waits for
/// anything while it uses it.
double* scratch(std::size_t values) {
  thread_local aligned_array memory;
  thread_local std::size_t size = 0;
  if (size < values) {
    size = 0;
    memory = make_aligned(values);
    size = values;
  }
  return memory.get();
}

} // namespace

heat_ring::heat_ring(std::size_t points) : m_points(points), m_now(make_aligned(points)), m_next(make_aligned(points)) {
  treadle::for_loop(treadle::par, std::size_t{0}, points, [this](std::size_t i) {
    m_now[i] = initial_value(i);
    m_next[i] = 0; // the pages are there when time is taken
  });
}

std::size_t heat_ring::tile_steps(grain size) const noexcept {
  return std::clamp<std::size_t>(size.steps, 1, partitions(m_points, size.points, k_line).smallest());
}

void heat_ring::run_steps(std::size_t steps, grain size) {
  const partitions tiles(m_points, size.points, k_line);
  const std::size_t height = tile_steps(size);
  while (steps > 0) {
    const std::size_t now = std::min(height, steps);
    treadle::for_loop(treadle::par, std::size_t{0}, tiles.count(),
                      [&](std::size_t i) { advance_tile_at(tiles.begin(i), tiles.end(i), now); });
    std::swap(m_now, m_next);
    steps -= now;
  }
}

void heat_ring::advance_tile_at(std::size_t begin, std::size_t end, std::size_t steps) {
  const std::size_t halo = rounded_to_lines(steps), points = end - begin;
  if (begin < halo || end + halo > m_points || points % k_line != 0) return advance_at_seam(begin, end, steps);
  advance_tile(m_now.get() + begin, m_next.get() + begin, points, steps, scratch(tile_scratch(points, steps)));
}

/// A tile that needs points from the other end of the ring, or does not end with a cache line: on a copy.
void heat_ring::advance_at_seam(std::size_t begin, std::size_t end, std::size_t steps) {
  const std::size_t halo = rounded_to_lines(steps), points = end - begin, whole_lines = rounded_to_lines(points);
  const std::size_t copied = whole_lines + 2 * halo;
  double* const out = scratch(whole_lines + copied + tile_scratch(whole_lines, steps));
  double* const copy = out + whole_lines;
  std::size_t from = (begin + m_points - halo % m_points) % m_points;
  for (std::size_t i = 0; i < copied; ++i) {
    copy[i] = m_now[from];
    from = from + 1 == m_points ? 0 : from + 1;
  }
  advance_tile(copy + halo, out, whole_lines, steps, copy + copied);
  std::copy_n(out, points, m_next.get() + begin);
}

} // namespace stencil
