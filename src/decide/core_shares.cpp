#include "decide/core_shares.hpp"

#include <algorithm>
#include <numeric>

namespace treadle::decide {

namespace {

/// Equal shares in units of `by` for the programs that take part, each bounded by what it can use.
template <class TakesPart>
void divide(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn, unsigned by, TakesPart takes_part,
            core_shares& to) {
  std::vector<std::size_t> among;
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (takes_part(claims[i])) among.push_back(i);
  if (among.empty()) return;
  const auto n = static_cast<unsigned>(among.size());
  const unsigned units = cores / by, each = units / n, more = units % n;
  // With fewer units than programs it goes round who gets one.
  const auto first = static_cast<unsigned>(each == 0 ? turn * more % n : 0);
  for (unsigned k = 0; k < n; ++k) {
    const std::size_t i = among[(first + k) % n];
    to[i] = std::min(by * (each + (k < more)), claims[i].most);
  }
}

constexpr auto k_all = [](const core_claim&) { return true; };

} // namespace

core_shares even(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn, unsigned by) {
  core_shares result(claims.size());
  divide(cores, claims, turn, by, k_all, result);
  return result;
}

core_shares half_to_preferred(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn, unsigned by) {
  core_shares result(claims.size());
  const auto preferred = [](const core_claim& c) { return c.is_preferred; };
  const auto others = [](const core_claim& c) { return !c.is_preferred; };
  const bool both =
      std::any_of(claims.begin(), claims.end(), preferred) && std::any_of(claims.begin(), claims.end(), others);
  const unsigned half = both ? cores / 2 : cores;
  divide(half, claims, turn, by, preferred, result);
  divide(both ? cores - half : cores, claims, turn, by, others, result);
  return result;
}

core_shares stack(unsigned cores, std::span<const core_claim> claims) {
  core_shares result(claims.size());
  if (!claims.empty()) result.back() = std::min(cores, claims.back().most);
  return result;
}

core_shares fixed(unsigned cores, std::span<const core_claim> claims, std::span<const unsigned> wanted) {
  core_shares result(claims.size());
  for (std::size_t i = 0; i < claims.size() && i < wanted.size(); ++i) {
    result[i] = std::min({wanted[i], claims[i].most, cores});
    cores -= result[i];
  }
  return result;
}

core_shares weighted(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn) {
  core_shares result(claims.size());
  if (claims.empty()) return result;
  const auto n = claims.size();
  const auto needs = [&](const core_claim& c) { return std::min({std::max(c.least, 1u), c.most, cores}); };
  const std::uint64_t all = std::accumulate(claims.begin(), claims.end(), std::uint64_t{0},
                                            [&](std::uint64_t sum, const core_claim& c) { return sum + needs(c); });
  // What each needs: of all, or of those whose turn it is.
  const std::size_t first = all > cores ? turn % n : 0;
  unsigned left = cores;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = (first + k) % n;
    const unsigned need = needs(claims[i]);
    if (need > left) continue;
    result[i] = need;
    left -= need;
  }
  // The rest one by one to who has least for its weight, of those that have any: a program that waits for its turn
  // could not use less than it needs.
  for (; left > 0; --left) {
    std::size_t poorest = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (result[i] == 0 || result[i] >= claims[i].most) continue;
      if (poorest == n || (result[i] + 1) * claims[poorest].weight < (result[poorest] + 1) * claims[i].weight)
        poorest = i;
    }
    if (poorest == n) break; // nobody can use more
    ++result[poorest];
  }
  return result;
}

} // namespace treadle::decide
