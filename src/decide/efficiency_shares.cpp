#include "decide/efficiency_shares.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace treadle::decide {
namespace {

/// What each further core would be busy, never growing: gains[n] is that of core n + 1.
std::vector<double> gains_of(const core_use& seen, unsigned most) {
  std::vector<double> hull{0}; // numbers of threads at which the envelope has corners
  std::vector<unsigned> corners{0};
  const auto slope = [&](std::size_t from, unsigned n, double used) {
    return (used - hull[from]) / (n - corners[from]);
  };
  for (unsigned n = 1; n <= most; ++n) {
    const double used = seen.at_most(n);
    while (corners.size() > 1 &&
           slope(corners.size() - 1, n, used) >= slope(corners.size() - 2, corners.back(), hull.back())) {
      corners.pop_back();
      hull.pop_back();
    }
    corners.push_back(n);
    hull.push_back(used);
  }
  std::vector<double> gains;
  for (std::size_t k = 1; k < corners.size(); ++k) {
    const double gain = std::max((hull[k] - hull[k - 1]) / (corners[k] - corners[k - 1]), 0.0);
    gains.insert(gains.end(), corners[k] - corners[k - 1], gain);
  }
  return gains;
}

} // namespace

core_shares efficiency_shares(unsigned cores, std::span<const core_claim> claims, std::span<const core_use> seen,
                              std::span<const unsigned> last, std::uint64_t turn, double least_use) {
  constexpr double k_keeps = 0.1;  // a core is worth this much more to the program that has it already
  constexpr double k_alike = 0.02; // where gains differ by less, the program with fewer cores for its weight is served
  std::vector<core_claim> needs(claims.begin(), claims.end());
  for (core_claim& one : needs) one.most = std::min(std::max(one.least, 1u), one.most);
  core_shares result = weighted(cores, needs, turn);
  unsigned left = cores;
  std::vector<std::vector<double>> gains;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    left -= result[i];
    gains.push_back(gains_of(seen[i], std::min(claims[i].most, cores)));
  }
  for (; left > 0; --left) {
    std::size_t best = claims.size();
    double best_worth = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const unsigned n = result[i];
      if (n == 0 || n >= gains[i].size()) continue; // it waits for its turn, or can use no more
      const double gain = gains[i][n] + (i < last.size() && n < last[i] ? k_keeps : 0);
      if (gains[i][n] < least_use) continue;
      const double worth = gain * claims[i].weight;
      const bool is_poorer = best < claims.size() && n * claims[best].weight < result[best] * claims[i].weight;
      if (worth <= best_worth - k_alike || (worth < best_worth + k_alike && !(best == claims.size() || is_poorer)))
        continue;
      best_worth = worth;
      best = i;
    }
    if (best == claims.size()) break;
    ++result[best];
  }
  return result;
}

} // namespace treadle::decide
