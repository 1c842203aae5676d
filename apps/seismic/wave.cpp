#include "seismic/wave.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace seismic {
namespace {

/// (c dt / dx)² at a point: rock that gets harder with depth, with layers in it. The square root that it needs is found
/// by Newton's method; each refinement beyond the first few changes nothing but the time that it takes.
double speed_squared(std::size_t x, std::size_t y, std::size_t refinements) noexcept {
  const double stiffness = 1 + 0.001 * static_cast<double>(y) + 0.05 * static_cast<double>((x + 3 * y) % 7);
  double root = stiffness;
  for (std::size_t i = 0; i < refinements; ++i) root = 0.5 * (root + stiffness / root);
  return 0.1 / (1 + root);
}

} // namespace

std::size_t neighbour(const plane& p, std::size_t tile, edge e) noexcept {
  const std::size_t x = tile % p.tiles, y = tile / p.tiles;
  switch (e) {
  case north:
    return y == 0 ? p.count() : tile - p.tiles;
  case south:
    return y + 1 == p.tiles ? p.count() : tile + p.tiles;
  case west:
    return x == 0 ? p.count() : tile - 1;
  case east:
    return x + 1 == p.tiles ? p.count() : tile + 1;
  case k_edges:
    break;
  }
  return p.count();
}

void fill(const plane& p, std::size_t tile, double* numbers) {
  const double middle = static_cast<double>(p.points()) / 2, width = static_cast<double>(p.points()) / 16;
  const std::size_t x0 = tile % p.tiles * p.side, y0 = tile / p.tiles * p.side, size = p.side * p.side;
  for (std::size_t y = 0; y < p.side; ++y) {
    for (std::size_t x = 0; x < p.side; ++x) {
      const double dx = (static_cast<double>(x0 + x) - middle) / width,
                   dy = (static_cast<double>(y0 + y) - middle) / width;
      numbers[y * p.side + x] = numbers[size + y * p.side + x] = std::exp(-(dx * dx + dy * dy));
    }
  }
}

void copy_edge(const plane& p, const double* numbers, std::size_t steps_done, edge e, double* to) {
  const double* const at = numbers + steps_done % 2 * p.side * p.side;
  const std::size_t first = e == south ? (p.side - 1) * p.side : e == east ? p.side - 1 : 0;
  const std::size_t stride = e == north || e == south ? 1 : p.side;
  for (std::size_t i = 0; i < p.side; ++i) to[i] = at[first + i * stride];
}

void advance(const plane& p, std::size_t tile, double* numbers, std::size_t steps_done,
             const std::array<const double*, k_edges>& beyond) {
  const std::size_t n = p.side, x0 = tile % p.tiles * n, y0 = tile / p.tiles * n;
  const double* const now = numbers + steps_done % 2 * n * n;
  double* const next = numbers + (steps_done + 1) % 2 * n * n; // has the step before, which only this point needs
  const auto other = [&](edge e, std::size_t i) { return beyond[e] ? beyond[e][i] : 0.0; };
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) {
      const std::size_t at = y * n + x;
      const double up = y == 0 ? other(north, x) : now[at - n], down = y + 1 == n ? other(south, x) : now[at + n];
      const double left = x == 0 ? other(west, y) : now[at - 1], right = x + 1 == n ? other(east, y) : now[at + 1];
      next[at] = 2 * now[at] - next[at] +
                 speed_squared(x0 + x, y0 + y, p.work) * (((up + down) + (left + right)) - 4 * now[at]);
    }
  }
}

double sum_of_squares(const plane& p, const double* numbers, std::size_t steps_done) noexcept {
  const double* const at = numbers + steps_done % 2 * p.side * p.side;
  double sum = 0;
  for (std::size_t i = 0; i < p.side * p.side; ++i) sum += at[i] * at[i];
  return sum;
}

double serial_sum(const plane& p) {
  plane whole = p;
  whole.tiles = 1;
  whole.side = p.points();
  std::vector<double> numbers(whole.numbers());
  fill(whole, 0, numbers.data());
  for (std::size_t t = 0; t < p.steps; ++t) advance(whole, 0, numbers.data(), t, {});
  const double* const at = numbers.data() + p.steps % 2 * whole.side * whole.side;
  std::vector<double> tile(p.numbers());
  double sum = 0;
  for (std::size_t i = 0; i < p.count(); ++i) {
    for (std::size_t y = 0; y < p.side; ++y)
      std::copy_n(at + (i / p.tiles * p.side + y) * whole.side + i % p.tiles * p.side, p.side,
                  tile.data() + y * p.side);
    sum += sum_of_squares(p, tile.data(), 0);
  }
  return sum;
}

} // namespace seismic
