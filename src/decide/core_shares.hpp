// How many cores each of several programs gets. Pure: the same input gives the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treadle::decide {

/// What a program asks for. The order of claims is that in which programs came.
struct core_claim {
  unsigned least = 0;        ///< it does nothing useful with fewer, unless 0
  unsigned most = ~0u;       ///< it has no more workers
  double weight = 1;         ///< relative to others; positive
  bool is_preferred = false; ///< for half_to_preferred()
};

/// All of these give out `cores` cores and no more, never more than `most`. Where there are not enough, programs take
/// turns: `turn` grows by one each time, and each program gets what it needs at least once in as many turns as there
/// are programs. `by` is the least number that is given out; what is left over below it is given to nobody.
using core_shares = std::vector<unsigned>;

/// The paper's: the same for all, in units of `by`, what cannot be divided one unit each to the first. It knows no
/// `least`, and what a program cannot use is not given to others (Dokulil and Benkner, section III; who gets what
/// cannot be divided, and what happens to more programs than units, it does not say).
core_shares even(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn, unsigned by = 2);
/// The paper's: half of the cores to the preferred programs, the other half to the others, each half as even() does it.
/// All to one of the two sorts when there are none of the other.
core_shares half_to_preferred(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn, unsigned by = 2);
/// The paper's: all to the program that came last, the others wait until it has ended.
core_shares stack(unsigned cores, std::span<const core_claim> claims);
/// Each program as many as `wanted` says, those that came first before others where that is more than there are.
core_shares fixed(unsigned cores, std::span<const core_claim> claims, std::span<const unsigned> wanted);
/// Max-min fair by weight: nobody can have more unless somebody gets less who has no more than that, each by its
/// weight; between `least` and `most`, and whatever one cannot use goes to the others.
core_shares weighted(unsigned cores, std::span<const core_claim> claims, std::uint64_t turn);

} // namespace treadle::decide
