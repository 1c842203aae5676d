#include "parquet/tensors.hpp"

#include <cmath>

namespace parquet {
namespace {

/// The propagator of a fermion at its k-th of n frequencies.
element propagator(std::size_t n, std::size_t k) {
  const double frequency = 3.14159265358979 * (2 * static_cast<double>(k) + 1 - static_cast<double>(n));
  return 1.0 / element(0.5, frequency);
}

} // namespace

element bare(std::size_t n, const place& of) {
  const auto x = static_cast<double>((7 * of.k + 3 * of.p + 5 * of.q) % (n + 1));
  return {1 / (1 + x), 0.5 / (2 + x)};
}

void contract_row(const slices& vertex, slices& ladder, std::size_t k, std::size_t q) {
  const std::size_t n = vertex.n();
  for (std::size_t p = 0; p < n; ++p) {
    element sum = 0;
    for (std::size_t inner = 0; inner < n; ++inner)
      sum += vertex.at(k, inner, q) * propagator(n, inner) * propagator(n, (inner + q) % n) * vertex.at(inner, p, q);
    ladder.at(k, p, q) = sum;
  }
}

element next_vertex(std::size_t n, const place& of, element crossed_ladder) {
  return bare(n, of) + 0.25 * crossed_ladder / (1 + std::abs(crossed_ladder));
}

slices serial(std::size_t n, std::size_t iterations) {
  slices vertex(n, 0, n), ladder(n, 0, n);
  const auto for_each = [n](auto f) {
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t p = 0; p < n; ++p) f(place{k, p, q});
  };
  for_each([&](const place& at) { vertex.at(at.k, at.p, at.q) = bare(n, at); });
  for (std::size_t i = 0; i < iterations; ++i) {
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t k = 0; k < n; ++k) contract_row(vertex, ladder, k, q);
    for_each([&](const place& at) {
      const place from = crossed(n, at);
      vertex.at(at.k, at.p, at.q) = next_vertex(n, at, ladder.at(from.k, from.p, from.q));
    });
  }
  return vertex;
}

} // namespace parquet
