// Sound in a plane: p'' = c² Δp, stepped by the leapfrog scheme; the pressure beyond the plane is 0. The plane is cut
// into square tiles, whose steps are the tasks. Kernels know neither tasks nor runtimes.
#pragma once

#include <array>
#include <cstddef>

namespace seismic {

struct plane {
  std::size_t tiles = 32; ///< along each edge
  std::size_t side = 64;  ///< points along the edge of a tile
  std::size_t steps = 64;
  std::size_t work = 0; ///< how often the speed of sound at a point is refined in each step: what a task costs

  std::size_t count() const noexcept { return tiles * tiles; }
  std::size_t points() const noexcept { return tiles * side; } ///< along each edge of the plane
  /// Numbers of a tile: its points in the last two steps, that of step t at (t % 2) side².
  std::size_t numbers() const noexcept { return 2 * side * side; }
};

enum edge : std::size_t { north, south, west, east, k_edges };
inline constexpr std::array<edge, k_edges> k_every_edge = {north, south, west, east};
constexpr edge opposite(edge e) noexcept { return static_cast<edge>(e ^ 1u); }

/// The tile beyond that edge, or count() where the plane ends.
std::size_t neighbour(const plane& p, std::size_t tile, edge e) noexcept;

/// A pulse in the middle of the plane that has no motion yet.
void fill(const plane& p, std::size_t tile, double* numbers);
/// Copies the points along an edge as they are after `steps_done` steps.
void copy_edge(const plane& p, const double* numbers, std::size_t steps_done, edge e, double* to);
/// One step more. `beyond`: the points next to each edge after as many steps, null where the plane ends.
void advance(const plane& p, std::size_t tile, double* numbers, std::size_t steps_done,
             const std::array<const double*, k_edges>& beyond);
/// The squares of the points after `steps_done` steps, added up in the order of the points.
double sum_of_squares(const plane& p, const double* numbers, std::size_t steps_done) noexcept;

/// What the tiles of a plane add up to, computed as one tile: the reference. The points are the same to the last bit;
/// the sum is that of tiles in their order.
double serial_sum(const plane& p);

} // namespace seismic
