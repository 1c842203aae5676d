#pragma once

#include "measure.hpp"

/// Two programs at once, each of which has a thread of OpenMP for every core, in short regions: pair_gcc and pair_llvm,
/// by the runtime, until both have ended. treadle.py does the same under `treadle run` with an agent, and measures it:
///   grant        from the agent's decision to when it is in effect: 60 grants of one worker or all, in the median
///   grant_most   the longest of them
///   agent_cpu    processor time per second of an agent with eight busy programs and a period of half a second
///   top_cpu      the same of `treadle top`, which shows them
namespace agent_bench {

constexpr int k_regions = 3000, k_iterations = 200'000;
#ifdef __clang__
constexpr const char* k_pair = "pair_llvm";
#else
constexpr const char* k_pair = "pair_gcc";
#endif

} // namespace agent_bench
