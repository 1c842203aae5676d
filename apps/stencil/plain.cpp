#include "stencil/plain.hpp"

#include "stencil/heat.hpp"
#include "stencil/partitions.hpp"

#include <treadle/algorithm/for_loop.hpp>

#include <utility>

namespace stencil {

plain_ring::plain_ring(std::size_t points)
    : m_points(points), m_now(make_aligned(points)), m_next(make_aligned(points)) {
  treadle::for_loop(treadle::par, std::size_t{0}, points, [this](std::size_t i) {
    m_now[i] = initial_value(i);
    m_next[i] = 0; // the pages are there when time is taken
  });
}

/// The points of [begin, end) but the two at the ends of the ring, whose neighbours are at the other end.
void plain_ring::advance(std::size_t begin, std::size_t end) noexcept {
  const double* in = m_now.get();
  double* out = m_next.get();
  const std::size_t last = m_points - 1;
  if (begin == 0) heat(out[0], in[last], in[0], in[last == 0 ? 0 : 1]);
  if (end > last && last != 0) heat(out[last], in[last - 1], in[last], in[0]);
  begin = begin == 0 ? 1 : begin;
  end = end > last ? last : end;
  if (begin < end) advance_row(in + begin, out + begin, end - begin);
}

void plain_ring::run_steps(std::size_t steps) noexcept {
  for (; steps > 0; --steps) {
    advance(0, m_points);
    std::swap(m_now, m_next);
  }
}

void plain_ring::run_steps_in_parallel(std::size_t steps, std::size_t partition) {
  const partitions parts(m_points, partition);
  for (; steps > 0; --steps) {
    treadle::for_loop(treadle::par, std::size_t{0}, parts.count(),
                      [&](std::size_t i) { advance(parts.begin(i), parts.end(i)); });
    std::swap(m_now, m_next);
  }
}

} // namespace stencil
