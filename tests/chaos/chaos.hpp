#pragma once

#include <cstdint>

namespace treadle::detail {

/// Chaos: in a build with TREADLE_CHAOS, and when the environment has a TREADLE_CHAOS_SEED, every atomic operation of
/// the runtime may first let other threads run, for a moment or for a while, so that the windows of its protocols are
/// open for long and in places where they never would be. A seed gives every thread the same sequence of disturbances
/// again; which thread meets which operation is still up to the system.
///
/// Begins anew with another seed; without effect where there is no chaos.
#if defined(TREADLE_CHAOS)
void seed_chaos(std::uint64_t seed) noexcept;
#else
inline void seed_chaos(std::uint64_t) noexcept {}
#endif

} // namespace treadle::detail
