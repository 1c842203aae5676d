#pragma once

#include "stencil/kernel.hpp"

#include <cstddef>
#include <span>

namespace stencil {

/// How much a task does: this many points by this many time steps.
struct grain {
  std::size_t points;
  std::size_t steps;
};

/// The ring in two arrays, between which tasks advance tiles by several steps at once. A tile is computed in memory of
/// the task that stays in the cache, together with as many points of its neighbours at each side as it makes steps:
/// these are computed twice, but memory is read and written once per `grain.steps` steps. Tiles are views: every call
/// may use another grain, nothing is copied.
class heat_ring {
 public:
  explicit heat_ring(std::size_t points);

  std::size_t points() const noexcept { return m_points; }
  /// Any number of steps; the last tiles are as high as the steps that are left. Rounds the points of the grain down to
  /// cache lines, and takes no more steps at once than the smallest tile has points: neighbours are enough.
  void run_steps(std::size_t steps, grain size);
  /// The steps that a task really takes with this grain.
  std::size_t tile_steps(grain size) const noexcept;
  std::span<const double> values() const noexcept { return {m_now.get(), m_points}; }

 private:
  struct tile {
    const double* in;
    double* out;
    std::size_t begin;
    std::size_t points;
    std::size_t steps;
  };

  void advance(const tile& t) const;
  void advance_at_seam(const tile& t) const;

  std::size_t m_points;
  aligned_array m_now;
  aligned_array m_next;
};

} // namespace stencil
