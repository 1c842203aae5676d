#pragma once

#include "decide/core_shares.hpp"
#include "decide/core_use.hpp"

#include <span>

namespace treadle::decide {

/// Cores go where they are used. What each program needs comes first, as weighted() has it; every further core goes to
/// the program that would keep it busy most, as far as was seen, times its weight. Nobody gets one that would be busy
/// for less than `least_use` of the time, so cores may be left. What was not seen is taken for the most that it can be:
/// so it is tried, and seen.
///
/// What a program uses does not grow faster with more cores than with fewer: observations that say so are noise, and
/// are taken together with their neighbours (a concave envelope), so that the best core after the other is the best
/// share of all. `last`: what each had so far; a core moves only where that gains more than a tenth of its time.
core_shares efficiency_shares(unsigned cores, std::span<const core_claim> claims, std::span<const core_use> seen,
                              std::span<const unsigned> last, std::uint64_t turn, double least_use = 0.25);

} // namespace treadle::decide
