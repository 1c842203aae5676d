#include "decide/grain.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {
namespace {

std::uint32_t half_octaves(double factor) noexcept { return static_cast<std::uint32_t>(2 * std::log2(factor) + 1e-9); }

} // namespace

double grain_model::best() const noexcept {
  // d/dg of W t_o / (P g) + g c / 2 = 0
  return std::sqrt(2 * work * ns_per_unit * overhead_ns / workers) / ns_per_unit;
}

double grain_model::closest(double grain) const noexcept {
  constexpr double k_about = 2;
  const double smallest = smallest_useful(), largest = std::max(smallest, best());
  return grain * k_about >= smallest && grain <= largest * k_about ? grain : std::clamp(grain, smallest, largest);
}

grain_places::grain_places(double smallest, double largest, double start) noexcept {
  start = std::clamp(start, smallest, largest);
  m_start = half_octaves(start / smallest);
  m_smallest = start * std::exp2(-0.5 * m_start);
  m_count = half_octaves(largest / m_smallest) + 1;
}

double grain_places::grain(std::uint64_t place) const noexcept {
  return m_smallest * std::exp2(0.5 * static_cast<double>(place));
}

std::uint32_t grain_places::closest(double grain) const noexcept {
  return static_cast<std::uint32_t>(std::clamp(std::round(2 * std::log2(grain / m_smallest)), 0.0, m_count - 1.0));
}

} // namespace treadle::decide
