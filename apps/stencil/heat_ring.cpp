#include "stencil/heat_ring.hpp"

#include "stencil/flow.hpp"
#include "stencil/heat.hpp"
#include "stencil/partitions.hpp"
#include "stencil/scratch.hpp"

#include <treadle/algorithm/for_loop.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace stencil {

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
  partitions tiles(m_points, size.points, k_line);
  const std::size_t height = tile_steps(size);
  const std::size_t rounds = steps / height + (steps % height != 0 ? 1 : 0);
  // Two tiles meet only where one is next to the other, also those of which one reads what the other will overwrite.
  using future = treadle::shared_future<void>;
  std::vector<future> tasks(tiles.count(), treadle::make_ready_future());
  double* const arrays[] = {m_now.get(), m_next.get()};
  const auto advance_part = [&](std::size_t round, std::size_t i, const future& left, const future& middle,
                                const future& right) {
    for (const future* before : {&left, &middle, &right}) before->get();
    const tile here{arrays[round % 2], arrays[(round + 1) % 2], tiles.begin(i), tiles.size(i),
                    std::min(height, steps - round * height)};
    advance(here);
  };
  flow<void> around(tiles, tasks);
  for (std::size_t round = 0; round < rounds; ++round) around.step(advance_part);
  around.wait();
  if (rounds % 2 != 0) std::swap(m_now, m_next);
}

void heat_ring::advance(const tile& t) const {
  const std::size_t halo = rounded_to_lines(t.steps);
  if (t.begin < halo || t.begin + t.points + halo > m_points || t.points % k_line != 0) return advance_at_seam(t);
  advance_tile(t.in + t.begin, t.out + t.begin, t.points, t.steps, scratch(tile_scratch(t.points, t.steps)));
}

/// A tile that needs points from the other end of the ring, or does not end with a cache line: on a copy.
void heat_ring::advance_at_seam(const tile& t) const {
  const std::size_t halo = rounded_to_lines(t.steps), whole_lines = rounded_to_lines(t.points);
  const std::size_t copied = t.points + 2 * halo, padded = whole_lines + 2 * halo;
  double* const out = scratch(whole_lines + padded + tile_scratch(whole_lines, t.steps));
  double* const copy = out + whole_lines;
  std::size_t from = (t.begin + m_points - halo % m_points) % m_points;
  for (std::size_t i = 0; i < copied; ++i) {
    copy[i] = t.in[from];
    from = from + 1 == m_points ? 0 : from + 1;
  }
  std::fill(copy + copied, copy + padded, 0.0);
  advance_tile(copy + halo, out, whole_lines, t.steps, copy + padded);
  std::copy_n(out, t.points, t.out + t.begin);
}

} // namespace stencil
