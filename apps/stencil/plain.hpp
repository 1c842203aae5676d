#pragma once

#include "stencil/kernel.hpp"

#include <cstddef>
#include <span>

namespace stencil {

/// Two copies of the ring, swapped after every step: the serial reference, and a parallel loop per step, which does no
/// more than the memory allows.
class plain_ring {
 public:
  explicit plain_ring(std::size_t points);

  std::size_t points() const noexcept { return m_points; }
  /// The serial loop.
  void run_steps(std::size_t steps) noexcept;
  /// The same with treadle::for_loop over partitions of this many points.
  void run_steps_in_parallel(std::size_t steps, std::size_t partition);
  std::span<const double> values() const noexcept { return {m_now.get(), m_points}; }

 private:
  void advance(std::size_t begin, std::size_t end) noexcept;

  std::size_t m_points;
  aligned_array m_now;
  aligned_array m_next;
};

} // namespace stencil
